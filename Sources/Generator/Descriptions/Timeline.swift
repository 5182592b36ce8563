/// The index of a version among all versions of a schema, oldest first.
struct VersionIndex: Hashable, Strideable, Sendable {
    let value: Int

    init(_ value: Int) { self.value = value }

    /// The index of the previous version. For the oldest version, no version has this index.
    var previous: VersionIndex { VersionIndex(value - 1) }

    func distance(to other: VersionIndex) -> Int { other.value - value }
    func advanced(by distance: Int) -> VersionIndex { VersionIndex(value + distance) }
    static func < (left: VersionIndex, right: VersionIndex) -> Bool { left.value < right.value }
    static func == (left: VersionIndex, right: VersionIndex) -> Bool { left.value == right.value }
}

/// The values that an element has in the versions of a schema.
struct Timeline<Value: Sendable>: Sendable {
    /// A value that applies from a version on.
    struct Epoch: Sendable {
        let start: VersionIndex
        let value: Value
    }

    /// The versions that have the element.
    let life: Range<VersionIndex>
    /// The epochs, oldest first; never empty. The first one starts with `life`.
    let epochs: [Epoch]

    /// Returns whether the version at `index` has the element.
    func exists(at index: VersionIndex) -> Bool { life.contains(index) }

    /// The value in the version at `index`. Before the first epoch, it is the first value.
    subscript(index: VersionIndex) -> Value {
        (epochs.last { $0.start <= index } ?? epochs[0]).value
    }

    /// Returns the timeline with each value replaced by the result of `transform`.
    func map<Other>(_ transform: (Value) -> Other) -> Timeline<Other> {
        Timeline<Other>(life: life, epochs: epochs.map { .init(start: $0.start, value: transform($0.value)) })
    }
}
