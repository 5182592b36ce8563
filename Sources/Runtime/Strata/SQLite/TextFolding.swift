import CSQLite
import Foundation
import SQLSchema

/// Differences between texts that a condition ignores.
///
/// ```swift
/// let request = Movie.all.where { $0.title.contains("strasse", ignoring: [.case, .diacritics]) }
/// ```
public struct TextFolding: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: Int

    /// Creates a set from its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The case of letters, in all scripts. "ß" equals "SS".
    public static let `case` = TextFolding(rawValue: 1)
    /// Marks such as accents. "é" equals "e".
    public static let diacritics = TextFolding(rawValue: 2)

    /// Returns `text` without the differences. Texts with the same characters in another encoding give the same result.
    func folded(_ text: String) -> String {
        // The two mappings together are close to Unicode's case folding: "ß" and "SS" become "ss", and "ς" and "Σ" become "σ".
        var text = contains(.case) ? text.uppercased().lowercased() : text
        if contains(.diacritics) {
            let scalars = text.decomposedStringWithCanonicalMapping.unicodeScalars
            text = String(String.UnicodeScalarView(scalars.filter { $0.properties.generalCategory != .nonspacingMark }))
        }
        return text.precomposedStringWithCanonicalMapping
    }

    /// The SQL function that folds a text.
    static let function = "strata_folded"

    /// Adds the function to a connection.
    static func add(to database: OpaquePointer) throws {
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
        let code = sqlite3_create_function_v2(
            database, function, 2, flags, nil,
            { context, _, arguments in
                guard let bytes = sqlite3_value_text(arguments?[0]) else { return sqlite3_result_null(context) }
                let count = Int(sqlite3_value_bytes(arguments?[0]))
                let text = String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
                let folding = TextFolding(rawValue: Int(sqlite3_value_int(arguments?[1])))
                SQLiteValue.text(folding.folded(text)).give(to: context)
            }, nil, nil, nil)
        guard code == SQLITE_OK else { throw SQLiteError(of: database) }
    }
}
