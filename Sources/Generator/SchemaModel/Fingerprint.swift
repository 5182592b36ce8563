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
        self.init(of: lines + ["version \(number)\(beta)"])
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
    package func sortedByBytes() -> [String] { sorted { $0.isBefore($1) } }
}

extension String {
    /// Whether the bytes of the string come before those of `other`.
    package func isBefore(_ other: String) -> Bool {
        let isBefore = utf8.withContiguousStorageIfAvailable { left in
            other.utf8.withContiguousStorageIfAvailable { right in
                let count = min(left.count, right.count)
                guard count > 0, let first = left.baseAddress, let second = right.baseAddress else {
                    return left.count < right.count
                }
                let order = memcmp(first, second, count)
                return order == 0 ? left.count < right.count : order < 0
            }
        }
        // Strings from Objective-C may have no contiguous bytes.
        return (isBefore ?? nil) ?? utf8.lexicographicallyPrecedes(other.utf8)
    }
}
