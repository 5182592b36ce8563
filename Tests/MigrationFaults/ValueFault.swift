import Foundation
import Strata

/// A fault of a migration that changes values of columns.
struct ValueFault: Sendable {
    let name: String
    /// Returns the wrong value.
    ///
    /// - Parameters:
    ///   - value: The right value.
    ///   - row: The number of rows of the table before this one.
    let change: @Sendable (_ value: SQLiteValue, _ row: Int) -> SQLiteValue

    private static func texts(_ name: String, _ change: @escaping @Sendable (String) -> String?) -> ValueFault {
        ValueFault(name: name) { value, _ in
            if case .text(let text) = value { change(text).map(SQLiteValue.text) ?? .null } else { value }
        }
    }

    private static func blobs(_ name: String, _ change: @escaping @Sendable (Data) -> Data?) -> ValueFault {
        ValueFault(name: name) { value, _ in
            if case .blob(let data) = value { change(data).map(SQLiteValue.blob) ?? .null } else { value }
        }
    }

    private static func integers(_ name: String, _ change: @escaping @Sendable (Int64) -> Int64) -> ValueFault {
        ValueFault(name: name) { value, _ in
            if case .integer(let number) = value { .integer(change(number)) } else { value }
        }
    }

    private static func numbers(_ name: String, _ change: @escaping @Sendable (Double) -> Double) -> ValueFault {
        ValueFault(name: name) { value, _ in if case .real(let number) = value { .real(change(number)) } else { value }
        }
    }

    private static func scalars(_ text: String, _ isKept: (Unicode.Scalar) -> Bool) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter(isKept)))
    }

    /// Returns another value of the same type.
    private static func other(_ value: SQLiteValue) -> SQLiteValue {
        switch value {
        case .null: .null
        case .integer(let number): .integer(number &+ 1)
        case .real(let number): .real(number == 0 ? 1 : -number)
        case .text(let text): .text(text + "x")
        case .blob(let data): .blob(data + [1])
        }
    }

    static let all: [ValueFault] = [
        texts("text is cut at 1,000 characters") { String($0.prefix(1_000)) },
        texts("text is cut at 65,535 characters") { String($0.prefix(65_535)) },
        texts("CR LF becomes LF") { $0.replacing("\r\n", with: "\n") },
        texts("CR becomes LF") { scalars($0) { $0 != "\r" } },
        texts("tabs become spaces") { $0.replacing("\t", with: " ") },
        texts("a byte order mark is dropped") { text in scalars(text) { $0 != "\u{feff}" } },
        texts("joiners are dropped") { text in scalars(text) { $0 != "\u{200d}" && $0 != "\u{200c}" } },
        texts("&amp; is decoded") { $0.replacing("&amp;", with: "&") },
        texts("percent escapes are decoded") { $0.removingPercentEncoding ?? $0 },
        texts("007 becomes 7") { text in text.allSatisfy(\.isNumber) ? Int(text).map(String.init) ?? text : text },
        texts("1.50 becomes 1.5") { text in Double(text).map { "\($0)" } ?? text },
        texts("space at the end is trimmed") { text in
            String(text.reversed().drop(while: \.isWhitespace).reversed())
        },
        texts("space at the beginning is trimmed") { String($0.drop(while: \.isWhitespace)) },
        texts("two spaces become one") { $0.replacing("  ", with: " ") },
        texts("line breaks are dropped") { text in scalars(text) { $0 != "\n" } },
        texts("text ends at U+0000") { String($0.prefix { $0 != "\0" }) },
        texts("text is composed") { $0.precomposedStringWithCanonicalMapping },
        texts("text is decomposed") { $0.decomposedStringWithCanonicalMapping },
        texts("ligatures are replaced") { $0.precomposedStringWithCompatibilityMapping },
        texts("characters of four bytes are replaced") { text in
            String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value > 0xffff ? "\u{fffd}" : $0 }))
        },
        texts("text becomes lowercase") { $0.lowercased() },
        texts("text becomes uppercase") { $0.uppercased() },
        texts("quotes are doubled") { $0.replacing("'", with: "''") },
        texts("backslashes are dropped") { $0.replacing("\\", with: "") },
        texts("JSON is written without spaces") { text in
            text.hasPrefix("{") ? text.replacing(": ", with: ":").replacing(", ", with: ",") : text
        },
        texts("an empty text becomes NULL") { $0.isEmpty ? nil : $0 },
        texts("text loses its last character") { String($0.dropLast()) },
        texts("text loses a character in the middle") { text in
            text.count < 20 ? text : String(text.prefix(10) + text.dropFirst(11))
        },
        blobs("a blob is cut at 65,535 bytes") { $0.prefix(65_535) },
        blobs("an empty blob becomes NULL") { $0.isEmpty ? nil : $0 },
        blobs("a blob loses zeros at the end") { data in Data(data.reversed().drop { $0 == 0 }.reversed()) },
        blobs("a blob ends at a zero") { $0.prefix { $0 != 0 } },
        blobs("a blob becomes text and back") { Data(String(decoding: $0, as: UTF8.self).utf8) },
        integers("an integer passes through a Double") { Int64(exactly: Double($0)) ?? .max },
        integers("an integer is cut to 32 bits") { Int64(Int32(truncatingIfNeeded: $0)) },
        integers("an integer is not negative") { max(0, $0) },
        integers("integers of 2^40 to 2^60 are others") { (1 << 40...1 << 60).contains($0) ? $0 + 1 : $0 },
        numbers("a number passes through a Float") { Double(Float($0)) },
        numbers("a number is rounded") { $0.rounded() },
        numbers("a number is rounded down") { $0.rounded(.down) },
        numbers("a number loses what is below a thousandth") { ($0 * 1_000).rounded() / 1_000 },
        numbers("a number has 15 digits") { Double(String(format: "%.15g", $0)) ?? $0 },
        numbers("a tiny number becomes 0") { abs($0) < 1e-30 ? 0 : $0 },
        numbers("infinity becomes the greatest number") { $0.isInfinite ? .greatestFiniteMagnitude : $0 },
        numbers("dates before 1900 are others") { (-6e10 ..< -3_187_296_000).contains($0) ? $0 + 3_600 : $0 },
        numbers("dates after 2038 are others") { (1_169_176_448..<3e9).contains($0) ? $0 - 4_294_967_296 : $0 },
        numbers("dates after 2096 are others") { (3_013_000_000..<4e9).contains($0) ? $0 + 86_400 : $0 },
        numbers("dates in summer are in another time zone") { number in
            let date = Date(timeIntervalSinceReferenceDate: number)
            guard (0..<1e9).contains(number), let zone = TimeZone(identifier: "Europe/London") else { return number }
            return number + zone.daylightSavingTimeOffset(for: date)
        },
        ValueFault(name: "every 50th value is another") { $1 % 50 == 49 ? other($0) : $0 },
        ValueFault(name: "values after the 100th row are others") { $1 >= 100 ? other($0) : $0 },
        ValueFault(name: "values after the 200th row are NULL") { $1 >= 200 ? .null : $0 },
        ValueFault(name: "1 becomes 0 after the 200th row") { $1 >= 200 && $0 == .integer(1) ? .integer(0) : $0 },
    ]
}
