import JSONText
import SchemaModel

extension ModelImport {
    /// Returns the import with a custom migration for each step that would not give the rows that the source's own file gives.
    ///
    /// - Parameters:
    ///   - numbers: The version numbers.
    ///   - first: The position of the first version to which a step is proven.
    ///   - schema: The name of the schema's type.
    func proven(_ numbers: [Version], from first: Int = 1, schema: String) throws -> ModelImport {
        guard let proof, first < versions.count else { return self }
        let (imported, _) = try history(numbers, schema: schema)
        let settings = JSONOutput.object([
            .init("versions", .array(entries(imported, from: 0))),
            .init("imported", source(imported, from: 0, beside: nil, oldest: imported.versions[0])),
        ])
        let files = imported.descriptions().map { text in
            ImportedModel.File(name: text.fileName + ".json", text: text.object(imported.versions).file)
        }
        let inferred = try Self.resolve(
            files + [.init(name: "strata.json", text: settings.file)], folder: path, schema: schema)
        var result = self
        for difference in try proof.differences(in: inferred, from: first, progress: proofProgress) {
            result.add(difference, of: proof.scripts[difference.version].name)
        }
        return result
    }

    /// Makes the step of a difference custom.
    private mutating func add(_ difference: ReplayProof.Difference, of file: String) {
        let index = difference.version
        let changed = Set(versions[index].rowStatements.compactMap(\.table))
        for entity in versions[index].entities.indices {
            let name = versions[index].entities[entity].name
            if difference.table.map({ $0 == name }) ?? changed.contains(name) {
                versions[index].entities[entity].isCustom = true
            }
        }
        notes.append(
            ImportNote(
                version: index, entity: difference.table, finding: .otherResult(file: file, difference.text)))
        let read = versions[index].readByCustomSteps
        for later in index..<versions.count { versions[later].read.formUnion(read) }
    }
}
