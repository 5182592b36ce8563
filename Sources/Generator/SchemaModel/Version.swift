import SQLSchema

/// A version of a schema: numbers separated by dots, like 1.3, or a beta, like 1.3-beta.1.
package struct Version: Sendable, CustomStringConvertible {
    /// The number, by which versions are compared.
    package let number: VersionNumber
    /// The version as it was written.
    package let text: String

    /// Parses a version; nil if `text` is not one.
    package init?(_ text: String) {
        guard let number = VersionNumber(text) else { return nil }
        self.number = number
        self.text = text
    }

    /// The version as it was written.
    package var description: String { text }

    /// Whether the version is a beta.
    package var isBeta: Bool { number.beta != nil }

    /// The version without the beta: 1.3 for 1.3-beta.1.
    package var final: Version {
        text.firstIndex(of: "-").flatMap { Version(String(text[..<$0])) } ?? self
    }

    /// Returns a beta of this version: 1.3-beta.1 for 1.3.
    package func beta(_ number: Int) -> Version { Version("\(final.text)-beta.\(number)") ?? self }

    /// The version with its last number increased: 1.1 for 1.0. After a beta, it is the version without the beta. Messages
    /// show it as an example of a newer version.
    package var next: Version {
        if isBeta { return final }
        let numbers = text.split(separator: ".").compactMap { Int($0) }
        let next = numbers.dropLast() + [(numbers.last ?? 0) &+ 1]
        return Version(next.map(String.init).joined(separator: ".")) ?? self
    }

    /// Returns the version after a history: the next whole number if all of its versions are whole, such as 1.0, 2.0 and 3.0.
    package static func next(after versions: [Version]) -> Version? {
        guard let last = versions.last else { return nil }
        let isWhole = versions.count > 1 && versions.allSatisfy { $0.text.wholeMatch(of: /[0-9]+\.0/) != nil }
        let major = last.text.split(separator: ".").first.flatMap { Int($0) }
        return isWhole ? major.flatMap { Version("\($0 &+ 1).0") } : last.next
    }

    /// The version as the end of a Swift name: `1_0`, or `1_3_beta_1`.
    package var identifier: String {
        String(text.map { $0 == "." || $0 == "-" ? "_" : $0 })
    }
}

extension Version: Hashable, Comparable {
    /// Returns whether both versions have the same numbers. Their spellings may differ.
    package static func == (left: Version, right: Version) -> Bool { left.number == right.number }

    /// Returns whether `left` is older than `right`.
    package static func < (left: Version, right: Version) -> Bool { left.number < right.number }

    /// Hashes the numbers, but not the spelling.
    package func hash(into hasher: inout Hasher) { hasher.combine(number) }
}
