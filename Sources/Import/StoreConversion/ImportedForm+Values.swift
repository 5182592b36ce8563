import Foundation
import JSONText
import SQLSchema
import Strata

extension ImportedForm {
    /// Converts a value of another database to its form in the store. NULL stays NULL.
    ///
    /// - Parameters:
    ///   - value: The value in the other database.
    ///   - files: The folder in which Core Data stores large values.
    /// - Returns: The value in the store; nil if the other database's value does not have this form.
    package func value(_ value: SQLiteValue, files: URL?) -> SQLiteValue? {
        switch (self, value) {
        case (_, .null): return .null
        case (.bool, .integer(0)), (.bool, .integer(1)): return value
        case (.bool, .text(let text)):
            return ["true": .integer(1), "false": .integer(0), "1": .integer(1), "0": .integer(0)][text.lowercased()]
        case (.unixSeconds, _): return Self.number(value).map { .real($0 - Self.reference) }
        case (.unixMilliseconds, _): return Self.number(value).map { .real($0 / 1_000 - Self.reference) }
        case (.unixMicroseconds, _): return Self.number(value).map { .real($0 / 1_000_000 - Self.reference) }
        case (.referenceSeconds, _): return Self.number(value).map(SQLiteValue.real)
        // 2001-01-01 00:00 UTC is the Julian day 2451910.5.
        case (.julianDay, _): return Self.number(value).map { .real(($0 - 2_451_910.5) * 86_400) }
        case (.dateText, .text(let text)): return Self.date(text).map { .real($0.timeIntervalSinceReferenceDate) }
        case (.uuid, .blob(let data)): return data.count == 16 ? value : nil
        case (.uuid, .text(let text)): return UUID(uuidString: text).map { SQLiteValue($0) }
        // Foundation may replace characters. Only a URL that it leaves unchanged is accepted.
        case (.url, .text(let text)): return URL(stored: text) == nil ? nil : value
        case (.color, .text(let text)): return isColor(text) ? value : nil
        case (.decimal, .integer(let number)): return SQLiteValue(Decimal(number))
        case (.decimal, .real(let number)):
            return number.isFinite ? Decimal(string: number.description).map { SQLiteValue($0) } : nil
        case (.decimal, .text(let text)):
            return Double(text) == nil ? nil : Decimal(string: text).map { SQLiteValue($0) }
        case (.choice(let texts), .text(let text)): return texts.contains(text) ? value : nil
        case (.entity(let names), .text(let text)): return names.contains(text) ? value : nil
        case (.castToData, .text(let text)): return .blob(Data(text.utf8))
        case (.castToData, .integer(let number)): return .blob(Data(String(number).utf8))
        case (.castToData, .blob), (.castToInt, .integer), (.castToDouble, .real): return value
        case (.castToInt, .real(let number)): return Int64(exactly: number).map(SQLiteValue.integer)
        case (.castToInt, .text(let text)):
            return text.prefixMatch(of: /\s*([+-]?[0-9]+)/).map { Int64($0.1) }.map { $0.map(SQLiteValue.integer) }
                ?? .integer(0)
        case (.castToDouble, .integer(let number)): return .real(Double(number))
        case (.castToDouble, .text(let text)):
            let number = text.prefixMatch(of: /\s*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)/)?.1
            return .real(number.flatMap { Double($0) } ?? 0)
        case (.plain, _): return value
        case (.json, .text(let text)):
            let object = try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
            return object == nil ? nil : value
        case (.members, .text(let text)), (.list, .text(let text)), (.values, .text(let text)):
            return (try? JSONParser.parse(Array(text.utf8))).flatMap { json($0) }.map(SQLiteValue.text)
        case (.seconds, _):
            return Self.number(value).flatMap { Int64(exactly: ($0 * 1_000).rounded()) }.map(SQLiteValue.integer)
        case (.archive, .blob(let data)), (.archiveOfBools, .blob(let data)), (.archiveOfDecimals, .blob(let data)):
            return list(data).map(SQLiteValue.text)
        case (.externalData, .blob(let data)): return Self.bytes(data, files).map(SQLiteValue.blob)
        default: return nil
        }
    }

    /// The number of seconds from 1970-01-01 to 2001-01-01.
    private static let reference = Date.timeIntervalBetween1970AndReferenceDate

    private static func number(_ value: SQLiteValue) -> Double? {
        switch value {
        case .integer(let number): Double(exactly: number)
        case .real(let number): number.isFinite ? number : nil
        default: nil
        }
    }

    /// Parses a date as ISO 8601 text. Date and time are separated by a space or a T. Seconds, their fraction and the
    /// time zone are optional. A date without a time is the start of the day.
    static func date(_ text: String) -> Date? {
        let pattern = /(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d(?:\.\d+)?))?)?\s*(Z|[+-]\d\d:?\d\d)?/
        guard let match = text.wholeMatch(of: pattern), let year = Int(match.1), let month = Int(match.2),
            let day = Int(match.3), let utc = TimeZone(secondsFromGMT: 0)
        else { return nil }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = utc
        let components = DateComponents(calendar: calendar, timeZone: utc, year: year, month: month, day: day)
        let (hour, minute) = (match.4.flatMap { Int($0) } ?? 0, match.5.flatMap { Int($0) } ?? 0)
        let second = match.6.flatMap { Double($0) } ?? 0
        guard components.isValidDate(in: calendar), let start = calendar.date(from: components), hour < 24, minute < 60,
            second < 61
        else { return nil }
        var offset = 0.0
        if let zone = match.7, zone != "Z" {
            let digits = zone.filter(\.isNumber)
            guard let hours = Int(digits.prefix(2)), let minutes = Int(digits.suffix(2)), minutes < 60 else {
                return nil
            }
            offset = Double(hours * 3600 + minutes * 60) * (zone.hasPrefix("-") ? -1 : 1)
        }
        return start.addingTimeInterval(Double(hour * 3600 + minute * 60) + second - offset)
    }

    /// Whether both forms read a value in the same way, if both accept it.
    func isAlike(_ other: ImportedForm) -> Bool {
        switch (self, other) {
        case (.choice, .choice): true
        case (.list(let one), .list(let other)), (.values(let one), .values(let other)): one.isAlike(other)
        case (.members(let ones), .members(let others)):
            ones.allSatisfy { one in
                guard let other = others.first(where: { $0.name == one.name }) else { return true }
                return other.source == one.source && one.form.isAlike(other.form)
            }
        default: self == other
        }
    }

    /// Returns a value inside JSON as the store has it; nil if it does not have this form.
    private func json(_ value: JSON) -> String? {
        switch (self, value.value) {
        case (.members(let members), .object(let found)):
            var texts: [String] = []
            for member in members {
                let value = found.last { $0.key == member.source }?.value
                guard let value, !value.isNull else {
                    if member.isNullable { continue }
                    return nil
                }
                guard let text = member.form.json(value) else { return nil }
                texts.append(JSON.quoted(member.name) + ":" + text)
            }
            // Members that older versions of the app wrote stay. Strata does not read them.
            let known = Set(members.flatMap { [$0.source, $0.name] })
            texts += found.filter { !known.contains($0.key) }.map { JSON.quoted($0.key) + ":" + $0.value.compact }
            return "{" + texts.joined(separator: ",") + "}"
        case (.list(let form), .array(let elements)):
            let texts = elements.map { form.json($0) }
            return texts.contains(nil) ? nil : "[" + texts.compactMap(\.self).joined(separator: ",") + "]"
        case (.values(let form), .object(let found)):
            let texts = found.map { member in form.json(member.value).map { JSON.quoted(member.key) + ":" + $0 } }
            return texts.contains(nil) ? nil : "{" + texts.compactMap(\.self).joined(separator: ",") + "}"
        case (.members, _), (.list, _), (.values, _): return nil
        case (.integer, .number(let text)): return Int(text) == nil ? nil : text
        case (.real, .number(let text)), (.referenceSeconds, .number(let text)): return text
        case (.string, .string), (.bool, .bool), (.plain, _): return value.compact
        case (.choice(let texts), .string(let text)): return texts.contains(text) ? value.compact : nil
        case (.url, .string(let text)): return URL(stored: text) == nil ? nil : value.compact
        case (.color, .string(let text)): return isColor(text) ? value.compact : nil
        case (.integer, .object(let keys)), (.string, .object(let keys)):
            let known = self == .integer ? ["remote"] : ["remote", "local"]
            let key = known.lazy.compactMap { name in keys.last { $0.key == name && !$0.value.isNull }?.value }.first
            if case .object? = key?.value { return nil }
            return key.flatMap { json($0) }
        default: return nil
        }
    }

    /// Converts a list that `NSKeyedArchiver` wrote to JSON.
    private func list(_ data: Data) -> String? {
        let classes: [AnyClass] = [
            NSArray.self, NSString.self, NSNumber.self, NSDate.self, NSURL.self, NSUUID.self, NSData.self,
        ]
        guard let list = try? NSKeyedUnarchiver.unarchivedObject(ofClasses: classes, from: data) as? [Any] else {
            return nil
        }
        let values = list.map { element -> Any? in
            switch element {
            case let text as String: text
            case let number as NSNumber where self == .archiveOfBools:
                number == 0 ? false : number == 1 ? true : nil
            case let number as NSNumber: self == .archiveOfDecimals ? number.decimalValue.description : number
            case let date as Date: date.timeIntervalSinceReferenceDate
            case let url as URL: url.absoluteString
            case let uuid as UUID: uuid.uuidString
            case let data as Data: data.base64EncodedString()
            default: nil
            }
        }
        guard !values.contains(where: { $0 == nil }),
            let json = try? JSONSerialization.data(
                withJSONObject: values.compactMap(\.self), options: [.withoutEscapingSlashes])
        else { return nil }
        return String(decoding: json, as: UTF8.self)
    }

    /// Returns the bytes of a value that Core Data may store in a file. If the first byte is 1, the bytes follow it. If
    /// it is 2, the name of their file follows it.
    private static func bytes(_ data: Data, _ files: URL?) -> Data? {
        switch data.first {
        case 1: return data.dropFirst()
        case 2:
            let name = String(decoding: data.dropFirst().prefix { $0 != 0 }, as: UTF8.self)
            guard UUID(uuidString: name) != nil else { return nil }
            return files.flatMap { try? Data(contentsOf: $0.appendingPathComponent(name)) }
        default: return nil
        }
    }
}

extension JSON {
    /// The value as text without spaces.
    fileprivate var compact: String {
        switch value {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .number(let text): text
        case .string(let text): JSON.quoted(text)
        case .array(let elements): "[" + elements.map(\.compact).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { JSON.quoted($0.key) + ":" + $0.value.compact }.joined(separator: ",") + "}"
        }
    }
}
