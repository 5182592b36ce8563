import JSONText
import SchemaModel

/// The fields of an element in all versions of a schema.
struct ElementTimeline: Sendable {
    /// The value of a field, and the version whose names it uses.
    struct Field: Sendable {
        var json: JSON
        /// The index of the version in which the names in the value are looked up.
        var moment: Int
    }

    /// The fields from a version on.
    struct Epoch: Sendable {
        /// The index of the first version.
        var start: Int
        var fields: [String: Field]
    }

    /// The indexes of the versions that have the element.
    let life: Range<Int>
    /// The epochs, oldest first. The first one starts with `life`.
    let epochs: [Epoch]

    /// Creates the timeline of an element.
    ///
    /// - Parameters:
    ///   - element: The description of the element.
    ///   - versions: All versions, oldest first.
    ///   - limits: The indexes of the versions to use if the description names no first or last version.
    init(_ element: ElementDescription, versions: [Version], limits: Range<Int>) {
        func index(_ version: Version) -> Int { versions.firstIndex { $0 >= version } ?? versions.count }
        let start = element.birth.map(index) ?? limits.lowerBound
        let end = element.death.map(index) ?? limits.upperBound
        life = start..<max(start, end)

        var fields = element.present.mapValues { Field(json: $0, moment: max(start, end) - 1) }
        var epochs: [Epoch] = []
        var upper = max(start, end)
        for item in element.items.reversed() where !item.previous.isEmpty {
            let place = index(item.version)
            if place < upper { epochs.append(Epoch(start: max(place, start), fields: fields)) }
            for (key, json) in item.previous { fields[key] = Field(json: json, moment: place - 1) }
            upper = min(upper, place)
        }
        epochs.append(Epoch(start: start, fields: fields))
        // If two epochs start in the same version, the epoch of the later item is used.
        self.epochs = epochs.reversed().enumerated().filter { place, epoch in
            place == epochs.count - 1 || epochs[epochs.count - 2 - place].start > epoch.start
        }.map(\.element)
    }

    /// Whether the element may differ between the version at `index` and the version before.
    func changes(at index: Int) -> Bool {
        life.upperBound == index || epochs.contains { $0.start == index }
    }

    /// The index in `epochs` of the epoch for the version at `index`.
    func epoch(at index: Int) -> Int {
        epochs.lastIndex { $0.start <= index } ?? 0
    }
}
