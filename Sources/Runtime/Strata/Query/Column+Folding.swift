extension Column where Value == String {
    /// The text contains `part`, apart from the differences that are ignored.
    ///
    /// ```swift
    /// let request = Movie.all.where { $0.title.contains("mirror", ignoring: .case) }
    /// ```
    public func contains(_ part: String, ignoring folding: TextFolding) -> Condition<Entity> {
        folded(folding).contains(folding.folded(part))
    }

    /// The text begins with `prefix`, apart from the differences that are ignored.
    public func hasPrefix(_ prefix: String, ignoring folding: TextFolding) -> Condition<Entity> {
        folded(folding).hasPrefix(folding.folded(prefix))
    }

    /// The text ends with `suffix`, apart from the differences that are ignored.
    public func hasSuffix(_ suffix: String, ignoring folding: TextFolding) -> Condition<Entity> {
        folded(folding).hasSuffix(folding.folded(suffix))
    }

    /// The text equals `text`, apart from the differences that are ignored.
    public func equals(_ text: String, ignoring folding: TextFolding) -> Condition<Entity> {
        folded(folding) == folding.folded(text)
    }
}

extension Column where Value == String? {
    /// The text is not nil and contains `part`, apart from the differences that are ignored.
    public func contains(_ part: String, ignoring folding: TextFolding) -> Condition<Entity> {
        folded(folding).contains(folding.folded(part))
    }

    /// The text is not nil and begins with `prefix`, apart from the differences that are ignored.
    public func hasPrefix(_ prefix: String, ignoring folding: TextFolding) -> Condition<Entity> {
        folded(folding).hasPrefix(folding.folded(prefix))
    }

    /// The text is not nil and ends with `suffix`, apart from the differences that are ignored.
    public func hasSuffix(_ suffix: String, ignoring folding: TextFolding) -> Condition<Entity> {
        folded(folding).hasSuffix(folding.folded(suffix))
    }

    /// The text is not nil and equals `text`, apart from the differences that are ignored.
    public func equals(_ text: String, ignoring folding: TextFolding) -> Condition<Entity> {
        folded(folding) == folding.folded(text)
    }
}

extension Column {
    fileprivate func folded(_ folding: TextFolding) -> Column<Entity, String> {
        Column<Entity, String>(
            computed: "\(sql: TextFolding.function)(\(fragment), \(sql: String(folding.rawValue)))")
    }
}
