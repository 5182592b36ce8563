import SchemaDiff
import SchemaModel

/// The descriptions of a model, resolved and validated.
package struct Descriptions: Sendable {
    /// The schema history; nil if there are errors.
    package let history: SchemaHistory?
    /// The errors, warnings and notes about the files, sorted by file and position.
    package let diagnostics: [Diagnostic]
    private let mentions: [VersionMention]
    private let sources: SourceMap?

    /// Parses, resolves and validates the descriptions of a model.
    ///
    /// - Parameters:
    ///   - files: The description files, in any order. Each describes one entity or subtype.
    ///   - folder: The path of the model in messages that concern no single file.
    ///   - schema: The name of the schema's type.
    ///   - sealed: The released versions, which keep their spelling.
    ///   - settings: The settings of versions from `strata.json`.
    ///   - imported: The databases from which the model was imported, from `strata.json`.
    ///   - lint: The target environments whose rules the model has to obey, from `strata.json`.
    package init(
        reading files: [SourceFile], folder: String, schema: String, sealed: [Version] = [],
        settings: VersionSettings? = nil, imported: ImportedSource? = nil, lint: [LintRule] = []
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
        mentions = VersionMention.all(in: entities, subtypes)
        var history: SchemaHistory?
        var sources: SourceMap?
        if diagnostics.allSatisfy({ $0.severity != .error }) {
            let resolved = Resolver.resolve(
                entities, subtypes, mentions: mentions, unpersisted: unpersisted, schema: schema, sealed: sealed,
                settings: settings, imported: imported)
            history = resolved.history
            sources = resolved.sources
            diagnostics += resolved.diagnostics
            if let history, let sources { diagnostics += Lint.diagnostics(history, sources, lint) }
        }
        self.sources = sources
        var seen: Set<Diagnostic> = []
        self.diagnostics = diagnostics.filter { seen.insert($0).inserted }.inOrder
        self.history = self.diagnostics.contains { $0.severity == .error } ? nil : history
    }

    /// The error for a newest version that looks misspelled; nil if it does not.
    ///
    /// It looks misspelled if only one element names it, and if its distance from the previous version is large: at
    /// least 10, and larger than the distance between any two earlier neighbouring versions.
    package var misspelledVersion: Diagnostic? {
        guard let versions = history?.versions.map(\.version), versions.count > 1 else { return nil }
        let distances = zip(versions, versions.dropFirst()).map { $0.distance(to: $1) }
        let (draft, newest) = (versions[versions.count - 2], versions[versions.count - 1])
        let places = mentions.filter { $0.version == newest }
        guard let place = places.first, places.count == 1, let distance = distances.last, distance >= 10,
            distances.dropLast().allSatisfy({ $0 < distance })
        else { return nil }
        return place.file.diagnostic(.misspelledVersion(newest.text, draft: draft.text), at: place.offset)
    }

    /// Returns the error for a change of a released version, at the position of the changed element.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - released: The newest released version.
    ///   - path: The path to report if no description contains the change.
    package func diagnostic(of change: LockChange, released: Version, path: String) -> Diagnostic {
        let draft = history.map(\.newest.version).flatMap { $0 > released ? $0 : nil }
        let problem = Problem.sealedChange(change, next: (draft ?? released.next).text)
        switch change {
        case .versionAdded(let version):
            if let place = mentions.first(where: { $0.version == version }) {
                return place.file.diagnostic(problem, at: place.offset)
            }
        case .content(let edit):
            if let version = edit.versions.last, let diagnostic = sources?.diagnostic(problem, of: edit, in: version) {
                return diagnostic
            }
        case .step(let edit):
            if let diagnostic = sources?.diagnostic(problem, of: edit) { return diagnostic }
        case .versionRemoved, .tables: break
        }
        return Diagnostic(problem, path: path, position: nil)
    }

    /// Returns the error for a version that was never a draft, although it is older than the newest version; nil if no
    /// description names it.
    package func neverDrafted(_ version: Version) -> Diagnostic? {
        guard let newest = history?.newest.version, let place = mentions.first(where: { $0.version == version }) else {
            return nil
        }
        return place.file.diagnostic(.neverDrafted(version.text, newest: newest.text), at: place.offset)
    }
}
