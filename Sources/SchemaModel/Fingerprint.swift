import Foundation

/// 64-bit FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/): what a store says of the schema it was written by.
public struct Fingerprint: Hashable, Sendable, CustomStringConvertible {
    /// The hash.
    public let value: UInt64

    /// The fingerprint of a version whose entities have these logical lines, in whatever order.
    ///
    /// The version itself is the first line: two versions of one shape have a step between them all the same.
    public init(of version: Version, lines: [String]) {
        let number = version.components.map(String.init).joined(separator: ".")
        self.init(of: ["version \(number)"] + lines)
    }

    /// The fingerprint of `lines`, each with a line feed after it, whatever their order.
    init(of lines: [String]) {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for line in lines.sortedByBytes() {
            for byte in line.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
            hash = (hash ^ 0x0a) &* 0x0000_0100_0000_01b3
        }
        self.value = hash
    }

    /// Sixteen hexadecimal digits.
    public var description: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

extension Sequence<String> {
    /// The strings in the order of their bytes, which no version of Unicode changes.
    func sortedByBytes() -> [String] {
        sorted { left, right in
            let order = strcmp(left, right)
            // Equal up to the end of one, or to a NUL.
            return order == 0 ? left.utf8.lexicographicallyPrecedes(right.utf8) : order < 0
        }
    }
}
