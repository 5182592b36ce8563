import Foundation

extension Column where Value == String {
    /// The text begins with `prefix`. Letter case matters.
    public func hasPrefix(_ prefix: String) -> Condition<Entity> { begins(with: prefix) }
    /// The text ends with `suffix`. Letter case matters.
    public func hasSuffix(_ suffix: String) -> Condition<Entity> { ends(with: suffix) }
    /// The text contains `part`. Letter case matters.
    public func contains(_ part: String) -> Condition<Entity> { holds(part) }
    /// The text matches a pattern of SQL's LIKE (https://sqlite.org/lang_expr.html#like).
    ///
    /// ```swift
    /// let movies = try transaction.fetch(Movie.self) { $0.title.isLike("%100^%%", escape: "^") }
    /// ```
    ///
    /// - Parameters:
    ///   - pattern: The pattern. `%` matches any text, and `_` any character. The case of ASCII letters does not matter.
    ///   - escape: A character before `%`, `_` or itself that makes it match only itself.
    public func isLike(_ pattern: String, escape: Character? = nil) -> Condition<Entity> { like(pattern, escape) }
}

extension Column where Value == String? {
    /// The text is not nil and begins with `prefix`. Letter case matters.
    public func hasPrefix(_ prefix: String) -> Condition<Entity> { begins(with: prefix) }
    /// The text is not nil and ends with `suffix`. Letter case matters.
    public func hasSuffix(_ suffix: String) -> Condition<Entity> { ends(with: suffix) }
    /// The text is not nil and contains `part`. Letter case matters.
    public func contains(_ part: String) -> Condition<Entity> { holds(part) }
    /// The text is not nil and matches a pattern of SQL's LIKE (https://sqlite.org/lang_expr.html#like).
    ///
    /// - Parameters:
    ///   - pattern: The pattern. `%` matches any text, and `_` any character. The case of ASCII letters does not matter.
    ///   - escape: A character before `%`, `_` or itself that makes it match only itself.
    public func isLike(_ pattern: String, escape: Character? = nil) -> Condition<Entity> { like(pattern, escape) }
}

extension Column {
    /// GLOB respects letter case and can use an index (https://sqlite.org/optoverview.html#the_like_optimization). It reads
    /// text up to U+0000.
    fileprivate func begins(with prefix: String) -> Condition<Entity> {
        // SQLite refuses patterns of more than 50,000 bytes (https://sqlite.org/limits.html#max_like_pattern_length).
        if prefix.utf8.count < 10_000, !prefix.utf8.contains(0) {
            return Condition("\(fragment) GLOB \(.text(Self.globbed(prefix) + "*"))")
        }
        return Condition(
            "substr(CAST(\(fragment) AS BLOB), 1, \(sql: "\(prefix.utf8.count)")) = \(.blob(Data(prefix.utf8)))")
    }

    fileprivate func ends(with suffix: String) -> Condition<Entity> {
        if suffix.isEmpty { return Condition("\(fragment) IS NOT NULL") }
        return Condition(
            "substr(CAST(\(fragment) AS BLOB), -\(sql: "\(suffix.utf8.count)")) = \(.blob(Data(suffix.utf8)))")
    }

    fileprivate func holds(_ part: String) -> Condition<Entity> {
        Condition("instr(\(fragment), \(.text(part))) > 0")
    }

    fileprivate func like(_ pattern: String, _ escape: Character?) -> Condition<Entity> {
        guard let escape else { return Condition("\(fragment) LIKE \(.text(pattern))") }
        return Condition("\(fragment) LIKE \(.text(pattern)) ESCAPE \(.text(String(escape)))")
    }

    /// The pattern of GLOB that matches only `text`: special characters are in brackets.
    private static func globbed(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if ["*", "?", "["].contains(scalar) {
                result += "[\(scalar)]"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
