import JSONText
import SchemaModel

/// The fields of an element over the versions of a schema.
struct ElementTimeline: Sendable {
    /// A value of a field, and the version whose names it uses.
    struct Field: Sendable {
        var json: JSON
        /// The index of the version in which the names in the value are meant.
        var moment: Int
    }

    /// The fields that hold from a version on.
    struct Epoch: Sendable {
        /// The index of the first version.
        var start: Int
        var fields: [String: Field]
    }

    /// The indexes of the versions in which the element lives.
    let life: Range<Int>
    /// The epochs, oldest first; the first begins with the life.
    let epochs: [Epoch]

    /// The timeline of `element`, which cannot live outside `limits`; indexes are places in `versions`.
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
        // Of two epochs with one start, the later item's holds.
        self.epochs = epochs.reversed().enumerated().filter { place, epoch in
            place == epochs.count - 1 || epochs[epochs.count - 2 - place].start > epoch.start
        }.map(\.element)
    }

    /// Whether what holds in version `index` may differ from what held in the version before.
    func changes(at index: Int) -> Bool {
        life.upperBound == index || epochs.contains { $0.start == index }
    }

    /// The place in `epochs` of what holds in version `index`.
    func epoch(at index: Int) -> Int {
        epochs.lastIndex { $0.start <= index } ?? 0
    }
}
