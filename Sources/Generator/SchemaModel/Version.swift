/// A version of a schema: numbers separated by dots. Versions are compared number by number, so 1.9 < 1.10 and 1.1 ==
/// 1.1.0.
package struct Version: Sendable, CustomStringConvertible {
    /// The numbers, without the zeros at the end.
    package let components: [Int]
    /// The version as it was written.
    package let text: String

    /// Parses a version; nil if `text` is not decimal numbers separated by single dots.
    package init?(_ text: String) {
        var components: [Int] = []
        for part in text.split(separator: ".", omittingEmptySubsequences: false) {
            guard !part.isEmpty, part.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let number = Int(part) else {
                return nil
            }
            components.append(number)
        }
        while components.last == 0 { components.removeLast() }
        self.components = components
        self.text = text
    }

    /// The version as it was written.
    package var description: String { text }

    /// Returns the difference of the first numbers that differ: 20 for 2.2 and 2.22, 1 for 2.9 and 3.0.
    package func distance(to other: Version) -> Int {
        let count = max(components.count, other.components.count)
        for place in 0..<count {
            let left = place < components.count ? components[place] : 0
            let right = place < other.components.count ? other.components[place] : 0
            if left != right { return abs(right - left) }
        }
        return 0
    }

    /// The version with its last number increased: 1.1 for 1.0. Messages show it as an example of a newer version.
    package var next: Version {
        let numbers = text.split(separator: ".").compactMap { Int($0) }
        let next = numbers.dropLast() + [(numbers.last ?? 0) &+ 1]
        return Version(next.map(String.init).joined(separator: ".")) ?? self
    }

    /// The version as the end of a Swift name: `1_0`.
    package var identifier: String {
        text.split(separator: ".").joined(separator: "_")
    }
}

extension Version: Hashable, Comparable {
    /// Returns whether both versions have the same numbers. Their spellings may differ.
    package static func == (left: Version, right: Version) -> Bool {
        left.components == right.components
    }

    /// Returns whether `left` is older than `right`.
    package static func < (left: Version, right: Version) -> Bool {
        left.components.lexicographicallyPrecedes(right.components)
    }

    /// Hashes the numbers, but not the spelling.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(components)
    }
}
