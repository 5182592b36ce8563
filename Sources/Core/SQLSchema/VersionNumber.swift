/// The number of a schema version, as versions are compared: number by number, so 1.9 < 1.10 and 1.1 == 1.1.0. The betas
/// of a version are older than the version: 1.3-beta.2 < 1.3-beta.10 < 1.3.
package struct VersionNumber: Hashable, Comparable, Sendable {
    /// The numbers, without the zeros at the end.
    package let components: [Int]
    /// The number of the beta: 2 for 1.3-beta.2; nil if the version is not a beta.
    package let beta: Int?

    /// Parses a version; nil if `text` is not decimal numbers separated by single dots, followed by nothing or by
    /// `-beta.` and a number.
    package init?(_ text: String) {
        func number(_ part: Substring) -> Int? {
            part.isEmpty || part.utf8.contains { $0 < 0x30 || $0 > 0x39 } ? nil : Int(part)
        }
        var numbers = text[...]
        var beta: Int?
        if let dash = text.firstIndex(of: "-") {
            guard text[dash...].hasPrefix("-beta."), let value = number(text[dash...].dropFirst(6)) else { return nil }
            numbers = text[..<dash]
            beta = value
        }
        var components: [Int] = []
        for part in numbers.split(separator: ".", omittingEmptySubsequences: false) {
            guard let value = number(part) else { return nil }
            components.append(value)
        }
        while components.last == 0 { components.removeLast() }
        self.components = components
        self.beta = beta
    }

    /// Returns whether `left` is older than `right`.
    package static func < (left: VersionNumber, right: VersionNumber) -> Bool {
        if left.components != right.components { return left.components.lexicographicallyPrecedes(right.components) }
        return left.beta ?? .max < right.beta ?? .max
    }
}
