import Foundation
import SQLSchema

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
        var hash = FNV1a()
        for line in lines.sortedByBytes() {
            hash.add(line)
            hash.add(0x0a)
        }
        self.value = hash.value
    }

    /// The fingerprint of the bytes of a file.
    public init(of bytes: Data) { value = FNV1a(bytes).value }

    /// The fingerprint whose description is `digits`.
    init?(_ digits: String) {
        guard digits.utf8.count == 16, let value = UInt64(digits, radix: 16) else { return nil }
        self.value = value
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
