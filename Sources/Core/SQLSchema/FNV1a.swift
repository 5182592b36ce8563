/// A 64-bit FNV-1a hash (http://www.isthe.com/chongo/tech/comp/fnv/).
package struct FNV1a {
    /// The hash of all bytes that were added.
    @usableFromInline package var value: UInt64 = 0xcbf2_9ce4_8422_2325

    @inlinable package init() {}

    /// Creates the hash of `bytes`.
    @inlinable package init(_ bytes: some Sequence<UInt8>) { add(bytes) }

    /// Adds bytes.
    @inlinable package mutating func add(_ bytes: some Sequence<UInt8>) {
        if bytes.withContiguousStorageIfAvailable({ add(contentsOf: $0) }) == nil { for byte in bytes { add(byte) } }
    }

    /// Adds a byte.
    @inlinable package mutating func add(_ byte: UInt8) {
        value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
    }

    /// Adds the UTF-8 bytes of `text`.
    package mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { add(contentsOf: $0) }
    }

    /// Adds bytes. The loop over a pointer is fast even in the tools of plugins, which are built without optimization.
    @usableFromInline mutating func add(contentsOf bytes: UnsafeBufferPointer<UInt8>) {
        guard let start = bytes.baseAddress else { return }
        var hash = value
        var index = 0
        while index < bytes.count {
            hash = (hash ^ UInt64(start[index])) &* 0x0000_0100_0000_01b3
            index &+= 1
        }
        value = hash
    }
}

extension UInt64 {
    /// The value of `user_version` in a store: the low 32 bits of the version's fingerprint.
    ///
    /// It is never 0, because a `user_version` of 0 means that Strata has not written the database yet.
    package var userVersion: Int32 {
        let bits = Int32(truncatingIfNeeded: self)
        return bits == 0 ? 1 : bits
    }
}
