/// 64-bit FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/).
package struct FNV1a {
    /// The hash of all that was added.
    package private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    package init() {}

    /// The hash of `bytes`.
    package init(_ bytes: some Sequence<UInt8>) { add(bytes) }

    /// Goes on with more bytes.
    package mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    }
}
