import Foundation
import SQLSchema

/// A 64-bit FNV-1a hash (http://www.isthe.com/chongo/tech/comp/fnv/). A store contains the fingerprint of its version.
package struct Fingerprint: Hashable, Sendable, CustomStringConvertible {
    /// The hash.
    package let value: UInt64

    /// Creates the fingerprint of a version from the logical lines of its entities, in any order.
    ///
    /// The version itself is the first line, so two versions with the same entities have different fingerprints.
    package init(of version: Version, lines: [String]) {
        let number = version.number.components.map(String.init).joined(separator: ".")
        let beta = version.number.beta.map { "-beta.\($0)" } ?? ""
        self.init(of: ["version \(number)\(beta)"] + lines)
    }

    /// Creates the fingerprint of lines, in any order.
    package init(of lines: [String]) {
        var hash = FNV1a()
        for line in lines.sortedByBytes() {
            hash.add(line)
            hash.add(0x0a)
        }
        self.value = hash.value
    }

    /// Creates the fingerprint of the bytes of a file.
    package init(of bytes: Data) { value = FNV1a(bytes).value }

    /// Creates the fingerprint with the description `digits`; nil if these are not sixteen hexadecimal digits.
    package init?(_ digits: String) {
        guard digits.utf8.count == 16, let value = UInt64(digits, radix: 16) else { return nil }
        self.value = value
    }

    /// Sixteen hexadecimal digits.
    package var description: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

extension Sequence<String> {
    /// Returns the strings in the order of their bytes. Unlike Swift's own order, this order does not depend on the
    /// version of Unicode.
    package func sortedByBytes() -> [String] {
        sorted { left, right in
            let order = strcmp(left, right)
            // `strcmp` compares only up to the first NUL.
            return order == 0 ? left.utf8.lexicographicallyPrecedes(right.utf8) : order < 0
        }
    }
}
