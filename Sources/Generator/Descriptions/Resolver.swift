import SchemaDiff
import SchemaModel

/// Computes the history of a model from its descriptions, in stages. Each stage uses the result of the previous one.
/// Comments cite the rules by their numbers in the documentation of the description language.
enum Resolver {
    /// The result of all stages.
    struct Resolution {
        /// The history; nil if there are errors.
        var history: SchemaHistory?
        /// The positions of all elements; nil if no description names a version.
        var sources: SourceMap?
        var diagnostics: [Diagnostic]
    }

    /// Returns the history of the descriptions, and all diagnostics.
    static func resolve(
        _ entities: [EntityDescription], _ subtypes: [SubtypeDescription], mentions: [VersionMention],
        unpersisted: [UnpersistedEntity], schema: String, sealed: [Version], settings: VersionSettings?,
        imported: ImportedSource?, isLucid: Bool?
    ) -> Resolution {
        let versions = VersionList(mentions, sealed: sealed, settings)
        if versions.isEmpty {
            let missing = entities.first.map { entity in
                entity.file.diagnostic(.missingKey("version_history", of: "an entity"), at: entity.element.offset)
            }
            return Resolution(diagnostics: missing.map { [$0] } ?? [])
        }
        let sources = SourceMap(entities, subtypes, versions)
        var reader = FieldValueReader(diagnostics: settings?.problems(among: versions, mentions) ?? [])
        reader.diagnostics += sources.lifeProblems()
        reader.diagnostics += sources.itemProblems(
            sealed: sealed, isListed: settings?.listed != nil, isLucid: isLucid == true)
        let names = NameTable(sources, &reader)
        var decoder = ElementDecoder(sources, names, reader, unpersisted, isLucid: isLucid)
        guard let model = decoder.model() else {
            return Resolution(sources: sources, diagnostics: decoder.reader.diagnostics)
        }
        let schemaVersions = model.modelVersions()
        // No step leads to the first version. Its instructions are read only to report their problems.
        let instructions = versions.indices.map { InstructionReader.read(model, at: $0, &decoder) }.dropFirst()
        let diagnostics = decoder.reader.diagnostics
        if diagnostics.contains(where: { $0.severity == .error }) {
            return Resolution(sources: sources, diagnostics: diagnostics)
        }
        let history = SchemaHistory(
            name: schema, versions: schemaVersions, instructions: Array(instructions),
            sources: entities.map(\.file.baseName), subtypeSources: subtypes.map(\.file.baseName),
            unpersisted: unpersisted.map(\.baseName), formerNames: settings?.formerNames ?? [:],
            chain: Dictionary(
                (settings?.chain ?? []).map { ($0.from.version, $0.to.map(\.version)) },
                uniquingKeysWith: { _, last in last }),
            imported: imported)
        let problems = Validator.validate(history, sources)
        return Resolution(
            history: problems.isEmpty ? history : nil, sources: sources,
            diagnostics: diagnostics + (problems.isEmpty ? model.unusedSubtypes() : problems))
    }
}
