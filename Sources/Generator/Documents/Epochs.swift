/// The values of something that changes through versions: each value with the first version that has it.
struct Epochs<Value: Hashable & Sendable & Encodable>: Sendable, Encodable {
    /// The index of the first version that has the value, and the value; nil if these versions have none.
    private(set) var starts: [(version: Int, value: Value?)] = []

    /// The value of the newest version so far.
    var last: Value? { starts.last?.value }

    /// Returns the value of a version.
    subscript(version: Int) -> Value? { starts.last { $0.version <= version }?.value }

    /// Adds the value of a version. Versions are added in their order.
    mutating func add(_ value: Value?, at version: Int) {
        if value != last { starts.append((version, value)) }
    }

    /// Encodes pairs: `[[0, value], [3, null]]`.
    func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        for (version, value) in starts {
            var pair = list.nestedUnkeyedContainer()
            try pair.encode(version)
            try pair.encode(value)
        }
    }
}
