import SchemaModel

/// What the files of a model say.
public struct Descriptions: Sendable {
    /// The history, where nothing is wrong with the files.
    public let history: SchemaHistory?
    /// All that is to be told of the files, by file and position.
    public let diagnostics: [Diagnostic]
    private let mentions: [(version: Version, file: SourceFile, offset: Int)]

    /// Reads the descriptions of a model: parse, resolve, validate.
    ///
    /// - `files`: one entity or subtype each, in any order.
    /// - `folder`: the path by which messages name the model as a whole.
    /// - `schema`: the name of the schema's type.
    /// - `sealed`: the versions that were released, whose spelling is kept.
    /// - `settings`: what `strata.json` says of versions.
    public init(
        reading files: [SourceFile], folder: String, schema: String, sealed: [Version] = [],
        settings: VersionSettings? = nil
    ) {
        var diagnostics: [Diagnostic] = []
        var entities: [EntityDescription] = []
        var subtypes: [SubtypeDescription] = []
        var names: Set<String> = []
        var unpersisted: [String] = []
        let ordered = files.sorted { ($0.baseName, $0.path) < ($1.baseName, $1.path) }
        let readers = ordered.concurrentMap { file in
            var reader = DescriptionReader(file: file)
            return (reader.read(), reader)
        }
        for (file, (description, reader)) in zip(ordered, readers) {
            if !names.insert(file.baseName.lowercased()).inserted {
                diagnostics.append(Diagnostic(.sameFileName(file.baseName), path: file.path, position: nil))
            }
            switch description {
            case let entity as EntityDescription: entities.append(entity)
            case let subtype as SubtypeDescription: subtypes.append(subtype)
            default: break
            }
            if reader.isUnpersisted { unpersisted.append(file.baseName) }
            diagnostics += reader.diagnostics
        }
        if entities.isEmpty, diagnostics.allSatisfy({ $0.severity != .error }) {
            diagnostics.append(Diagnostic(.noEntities, path: folder, position: nil))
        }
        var history: SchemaHistory?
        if diagnostics.allSatisfy({ $0.severity != .error }) {
            let resolved = Resolver.resolve(entities, subtypes, schema: schema, sealed: sealed, settings: settings)
            history = resolved.0
            history?.unpersisted = unpersisted
            diagnostics += resolved.1
        }
        mentions = Resolver.mentions(entities, subtypes)
        var seen: Set<Diagnostic> = []
        self.diagnostics = diagnostics.filter { seen.insert($0).inserted }.inOrder
        self.history = self.diagnostics.contains { $0.severity == .error } ? nil : history
    }

    /// An error about the newest version if it looks like a misspelled one: only one element names it, and it is far
    /// from the version before it, farther than any two versions before are from each other.
    public var misspelledVersion: Diagnostic? {
        guard let versions = history?.versions.map(\.version), versions.count > 1 else { return nil }
        let distances = zip(versions, versions.dropFirst()).map { $0.distance(to: $1) }
        let (draft, newest) = (versions[versions.count - 2], versions[versions.count - 1])
        let places = mentions.filter { $0.version == newest }
        guard let place = places.first, places.count == 1, let distance = distances.last, distance >= 10,
            distances.dropLast().allSatisfy({ $0 < distance })
        else { return nil }
        return place.file.diagnostic(.misspelledVersion(newest.text, draft: draft.text), at: place.offset)
    }
}
