import JSONText
import SchemaModel

/// The fields of an element of a description in one epoch, with their positions for messages.
struct Fields: Sendable {
    /// The value of a field.
    struct Field: Sendable {
        let json: JSON
        /// The version in which the names in the value are looked up.
        let moment: VersionIndex
    }

    fileprivate let fields: [String: Field]
    /// The file that contains the element.
    let file: SourceFile
    /// The offset of the element in the file.
    let offset: Int

    /// The field with this key, which may be `null`; nil if the element does not have it.
    subscript(key: String) -> Field? { fields[key] }

    /// Returns a field; nil if it is missing or `null`.
    func field(_ key: String) -> Field? {
        guard let field = fields[key], !field.json.isNull else { return nil }
        return field
    }

    /// Returns the value of a field; nil if it is missing or `null`.
    func value(_ key: String) -> JSON? { field(key)?.json }

    /// The name of the element; nil if it is missing or not a string.
    var name: String? { fields["name"]?.json.text }
}

extension Timeline<Fields> {
    /// Creates the timeline of an element.
    ///
    /// - Parameters:
    ///   - element: The description of the element.
    ///   - file: The file that contains the description.
    ///   - versions: All versions.
    ///   - limits: The versions to use if the description names no first or last version.
    init(
        _ element: ElementDescription, in file: SourceFile, _ versions: VersionList, limits: Range<VersionIndex>
    ) {
        let start = element.birth.map(versions.index) ?? limits.lowerBound
        let end = max(start, element.death.map(versions.index) ?? limits.upperBound)
        func moment(before index: VersionIndex) -> VersionIndex { max(versions.indices.lowerBound, index.previous) }

        var fields = element.present.mapValues { Fields.Field(json: $0, moment: moment(before: end)) }
        func epoch(_ start: VersionIndex) -> Epoch {
            Epoch(start: start, value: Fields(fields: fields, file: file, offset: element.offset))
        }
        // Rule 1: each item contains the values before its version, so compute the epochs from the newest one back.
        var newestFirst: [Epoch] = []
        var upper = end
        for item in element.items.reversed() where !item.previous.isEmpty {
            let index = versions.index(item.version)
            if index < upper { newestFirst.append(epoch(max(index, start))) }
            for (key, json) in item.previous { fields[key] = Fields.Field(json: json, moment: moment(before: index)) }
            upper = min(upper, index)
        }
        newestFirst.append(epoch(start))
        // If two epochs start in the same version, the later one is used.
        var epochs: [Epoch] = []
        for epoch in newestFirst where epochs.last?.start != epoch.start { epochs.append(epoch) }
        self.init(life: start..<end, epochs: epochs.reversed())
    }
}

extension JSON {
    /// The text of a string; nil for other values.
    var text: String? {
        if case .string(let text) = value { text } else { nil }
    }
}
