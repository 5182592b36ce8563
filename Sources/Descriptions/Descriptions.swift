import SchemaModel

/// What the files of a model say.
public struct Descriptions: Sendable {
    /// The history, where nothing is wrong with the files.
    public let history: SchemaHistory?
    /// All that is to be told of the files, by file and position.
    public let diagnostics: [Diagnostic]

    /// Reads the descriptions of a model: parse, resolve, validate.
    ///
    /// - `files`: one entity each, in any order.
    /// - `folder`: the path by which messages name the model as a whole.
    /// - `schema`: the name of the schema's type.
    /// - `sealed`: the versions that were released, whose spelling is kept.
    public init(reading files: [SourceFile], folder: String, schema: String, sealed: [Version] = []) {
        var diagnostics: [Diagnostic] = []
        var entities: [EntityDescription] = []
        var names: Set<String> = []
        let ordered = files.sorted { ($0.baseName, $0.path) < ($1.baseName, $1.path) }
        for file in ordered {
            if !names.insert(file.baseName.lowercased()).inserted {
                diagnostics.append(Diagnostic(.sameFileName(file.baseName), path: file.path, position: nil))
            }
            var reader = DescriptionReader(file: file)
            if let entity = reader.read() { entities.append(entity) }
            diagnostics += reader.diagnostics
        }
        if files.isEmpty {
            diagnostics.append(Diagnostic(.noEntities, path: folder, position: nil))
        }
        var history: SchemaHistory?
        if diagnostics.isEmpty {
            let resolved = Resolver.resolve(entities, schema: schema, sealed: sealed)
            history = resolved.0
            diagnostics = resolved.1
        }
        var seen: Set<Diagnostic> = []
        self.diagnostics = diagnostics.filter { seen.insert($0).inserted }.inOrder
        self.history = self.diagnostics.isEmpty ? history : nil
    }
}
