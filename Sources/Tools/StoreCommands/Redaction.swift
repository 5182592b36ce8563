import Foundation
import JSONText
import SchemaModel
import Strata

/// Replaces the texts and the data of a store by noise of the same length, so that a store can be given away with a bug
/// report. Numbers, dates, cases and the equality of keys stay, because migrations depend on them.
struct Redaction {
    /// The treatment of the values of a column.
    enum Treatment {
        /// Noise that depends on chance alone.
        case noise
        /// Noise that is the same for equal texts: for keys, references and unique properties.
        case sameNoise
        /// JSON, in which only the texts of a type are replaced.
        case json(ValueType)
    }

    private let version: ModelVersion
    /// The treatments of columns, by table; a column that is not in the dictionary stays.
    private let treatments: [String: [String: Treatment]]
    /// The columns of the tables.
    private let columns: [String: Set<String>]
    /// The columns with limits, by table: noise may violate them.
    private let limited: [String: Set<String>]
    /// A number that makes the noise of equal texts unknown outside of this run.
    private let secret = UInt64.random(in: 0...UInt64.max)

    init(_ version: ModelVersion) {
        self.version = version
        var treatments: [String: [String: Treatment]] = [:]
        var limited: [String: Set<String>] = [:]
        var keys: [String: [String: Treatment]] = [:]
        for entity in version.entities {
            let table = entity.tableName
            let unique = Set(
                version.tables.first { $0.name == table }?.indexes.filter(\.isUnique).flatMap(\.columns) ?? [])
            for column in version.columns(of: entity) {
                var treatment: Treatment?
                switch column.type {
                case .scalar(.string), .scalar(.url):
                    var isSame = column.isKey || unique.contains(column.name)
                    if case .reference = column.role { isSame = true }
                    treatment = isSame ? .sameNoise : .noise
                case .scalar(.data): treatment = column.isKey || unique.contains(column.name) ? .sameNoise : .noise
                case .scalar: break
                case .array, .subtype:
                    if Self.containsText(column.type, version) { treatment = .json(column.type) }
                }
                treatments[table, default: [:]][column.name] = treatment
                if column.isKey { keys[table, default: [:]][column.name] = treatment }
            }
        }
        for table in version.tables {
            limited[table.name] = Set(table.checks.flatMap(\.condition.columns))
            // A join table holds keys.
            if table.isJoinTable {
                for key in table.foreignKeys {
                    for (column, target) in zip(key.columns, key.targetColumns) {
                        treatments[table.name, default: [:]][column] = keys[key.target]?[target]
                    }
                }
            }
        }
        (self.treatments, self.limited) = (treatments, limited)
        columns = Dictionary(
            version.tables.map { ($0.name, Set($0.columnNames)) }, uniquingKeysWith: { first, _ in first })
    }

    /// Whether the redaction knows a table.
    func knows(_ table: String) -> Bool { version.tables.contains { $0.name == table } }

    /// Returns a row with noise.
    ///
    /// - Parameter keepsLimited: Whether columns with limits keep their values.
    func redacted(_ table: String, _ columns: [String], _ values: [SQLiteValue], keepsLimited: Bool = false)
        -> [SQLiteValue]
    {
        let isKnown = knows(table)
        return zip(columns, values).map { column, value in
            if keepsLimited, limited[table]?.contains(column) == true { return value }
            // The app may have added tables and columns.
            let isOwn = isKnown && self.columns[table]?.contains(column) == true
            guard let treatment = isOwn ? treatments[table]?[column] : .noise else { return value }
            return redacted(value, treatment)
        }
    }

    private func redacted(_ value: SQLiteValue, _ treatment: Treatment) -> SQLiteValue {
        switch (value, treatment) {
        case (.text(let text), .json(let type)):
            return .text(redacted(text, as: type))
        case (.text(let text), .noise): return .text(noise(text, isSame: false))
        case (.text(let text), .sameNoise): return .text(noise(text, isSame: true))
        case (.blob(let bytes), .noise): return .blob(Data(bytes.map { _ in UInt8.random(in: 0...255) }))
        case (.blob(let bytes), .sameNoise):
            return .blob(Data(bytes.enumerated().map { $1 ^ UInt8(truncatingIfNeeded: mixed($0)) }))
        default: return value
        }
    }

    // MARK: Texts

    /// Returns a text with other letters and digits. Letters stay letters of the same case, as a rule, and everything else
    /// stays, so that lengths and the equality of texts do not change.
    private func noise(_ text: String, isSame: Bool) -> String {
        var result = String.UnicodeScalarView()
        for (place, scalar) in text.unicodeScalars.enumerated() {
            let shift = isSame ? mixed(place) : UInt64.random(in: 0...UInt64.max)
            switch scalar.value {
            case 0x61...0x7A: result.append(Self.shifted(scalar, from: 0x61, count: 26, shift))
            case 0x41...0x5A: result.append(Self.shifted(scalar, from: 0x41, count: 26, shift))
            case 0x30...0x39: result.append(Self.shifted(scalar, from: 0x30, count: 10, shift))
            // Greek, Cyrillic, Chinese, Japanese and Korean letters. The length in bytes stays too.
            case 0x3B1...0x3C1: result.append(Self.shifted(scalar, from: 0x3B1, count: 17, shift))
            case 0x430...0x44F: result.append(Self.shifted(scalar, from: 0x430, count: 32, shift))
            case 0x4E00...0x9FFF: result.append(Self.shifted(scalar, from: 0x4E00, count: 0x5200, shift))
            case 0x3041...0x3096: result.append(Self.shifted(scalar, from: 0x3041, count: 86, shift))
            case 0xAC00...0xD7A3: result.append(Self.shifted(scalar, from: 0xAC00, count: 11_172, shift))
            default:
                let block = scalar.value & ~0xF
                result.append(
                    scalar.properties.isAlphabetic
                        ? Self.shifted(scalar, from: block, count: 16, shift) : scalar)
            }
        }
        return String(result)
    }

    /// Returns the letter that follows another one after some steps in its alphabet, which begins again after its end.
    private static func shifted(_ letter: Unicode.Scalar, from first: UInt32, count: UInt32, _ steps: UInt64)
        -> Unicode.Scalar
    {
        let place = (letter.value - first + UInt32(steps % UInt64(count))) % count
        return Unicode.Scalar(first + place) ?? letter
    }

    /// Returns a number that depends on a place in a text, and on the secret: the finalizer of SplitMix64.
    private func mixed(_ place: Int) -> UInt64 {
        var value = secret &+ UInt64(place) &* 0x9e37_79b9_7f4a_7c15
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }

    // MARK: JSON

    private static func containsText(_ type: ValueType, _ version: ModelVersion) -> Bool {
        switch type {
        case .scalar(let scalar): [.string, .url, .data].contains(scalar)
        case .array(let element): containsText(element, version)
        case .subtype(let lineage): !(version.subtype(lineage)?.members.isEmpty ?? true)
        }
    }

    /// Returns JSON with noise for its texts.
    private func redacted(_ text: String, as type: ValueType) -> String {
        let bytes = Array(text.utf8)
        guard let json = try? JSONParser.parse(bytes) else { return noise(text, isSame: false) }
        var edits: [(range: Range<Int>, text: String)] = []
        collect(json, type, &edits)
        var result: [UInt8] = []
        var end = 0
        for edit in edits {
            result += bytes[end..<edit.range.lowerBound] + Array(edit.text.utf8)
            end = edit.range.upperBound
        }
        return String(decoding: result + bytes[end...], as: UTF8.self)
    }

    private func collect(_ json: JSON, _ type: ValueType, _ edits: inout [(range: Range<Int>, text: String)]) {
        switch (json.value, type) {
        case (.string(let text), .scalar(.string)), (.string(let text), .scalar(.url)),
            (.string(let text), .scalar(.data)):
            edits.append((json.offset..<json.end, JSON.quoted(noise(text, isSame: false))))
        case (.array(let elements), .array(let type)):
            for element in elements { collect(element, type, &edits) }
        case (.object(let values), .subtype(let lineage)):
            for member in version.subtype(lineage)?.members ?? [] {
                guard let type = member.type,
                    let value = values.first(where: { $0.key == member.persistedName ?? member.name })
                else { continue }
                collect(value.value, type, &edits)
            }
            edits.sort { $0.range.lowerBound < $1.range.lowerBound }
        default: break
        }
    }
}
