import SchemaDiff
import SchemaModel

/// The descriptions of a model, resolved and validated.
package struct ValidatedDescriptions: Sendable {
    /// The schema history; nil if there are errors.
    package let history: SchemaHistory?
    /// The schema history with the versions after `current_version`; nil if there are errors.
    package let completeHistory: SchemaHistory?
    /// The errors, warnings and notes about the files, sorted by file and position.
    package let diagnostics: [Diagnostic]
    private let mentions: [VersionMention]
    private let settings: VersionSettings?
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
    ///   - qualifiesNames: Whether the generated code names all types of other modules with their modules.
    ///   - isLucid: Whether keys that mean something else in Lucid have Lucid's meaning; nil if `strata.json` does not say it.
    ///   - payloads: The number of Lucid's descriptions of payloads in the folder, which are not among the files.
    package init(
        reading files: [SourceFile], folder: String, schema: String, sealed: [Version] = [],
        settings: VersionSettings? = nil, imported: ImportedSource? = nil, lint: [LintRule] = [],
        qualifiesNames: Bool = false, isLucid: Bool? = nil, payloads: Int = 0
    ) {
        var diagnostics: [Diagnostic] = []
        if payloads > 0 {
            diagnostics.append(Diagnostic(.payloads(payloads), path: folder, position: nil, severity: .note))
        }
        var entities: [EntityDescription] = []
        var subtypes: [SubtypeDescription] = []
        var names: Set<String> = []
        var unpersisted: [UnpersistedEntity] = []
        let ordered = files.sorted { ($0.baseName, $0.path) < ($1.baseName, $1.path) }
        let readers = ordered.concurrentMap { file in
            var reader = DescriptionFileReader(file: file, isLucid: isLucid)
            return (reader.read(), reader)
        }
        for (file, (description, reader)) in zip(ordered, readers) {
            if !names.insert(file.baseName.lowercased()).inserted {
                diagnostics.append(Diagnostic(.sameFileName(file.baseName), path: file.path, position: nil))
            }
            if file.baseName.contains(where: { $0.isNewline || $0.unicodeScalars.contains { $0.value < 0x20 } }) {
                diagnostics.append(Diagnostic(.controlInFileName, path: file.path, position: nil))
            }
            switch description {
            case let entity as EntityDescription: entities.append(entity)
            case let subtype as SubtypeDescription: subtypes.append(subtype)
            default: break
            }
            if let entity = reader.unpersisted { unpersisted.append(entity) }
            diagnostics += reader.diagnostics
        }
        // Strata has no reason to write it.
        let isFromLucid = isLucid == nil && readers.contains { $0.1.persistence == true }
        if isFromLucid,
            let file = zip(ordered, readers).first(where: { $0.1.0 is EntityDescription && $0.1.1.persistence == nil })
        {
            diagnostics.append(file.0.diagnostic(.lucidPersistence, at: 0))
        }
        if entities.isEmpty, diagnostics.allSatisfy({ $0.severity != .error }) {
            diagnostics.append(Diagnostic(.noEntities, path: folder, position: nil))
        }
        mentions = VersionMention.all(in: entities, subtypes)
        self.settings = settings
        var history: SchemaHistory?
        var sources: SourceMap?
        if diagnostics.allSatisfy({ $0.severity != .error }) {
            let resolved = Resolver.resolve(
                entities, subtypes, mentions: mentions, unpersisted: unpersisted, schema: schema, sealed: sealed,
                settings: settings, imported: imported, isLucid: isLucid)
            history = resolved.history
            sources = resolved.sources
            diagnostics += resolved.diagnostics
            if let history, let sources {
                diagnostics += Lint.diagnostics(history, sources, lint)
                if !qualifiesNames { diagnostics += HiddenTypes.diagnostics(history, sources) }
            }
        }
        self.sources = sources
        var seen: Set<Diagnostic> = []
        self.diagnostics = diagnostics.filter { seen.insert($0).inserted }.inOrder
        if self.diagnostics.contains(where: { $0.severity == .error }) { history = nil }
        completeHistory = history
        self.history = settings?.current.map { current in history?.upTo(current.version) } ?? history
    }

    /// Returns the errors for versions that cannot all be drafts, one for each place that names a version in question.
    ///
    /// That is the version that fewer elements name, which is more likely to be a mistake.
    ///
    /// - Parameters:
    ///   - drafts: The versions that are not released, oldest first; at least two.
    ///   - target: The target of the model.
    ///   - isLockMissing: Whether the model has no lock, so that it may have been lost.
    package func severalDrafts(_ drafts: [Version], target: String, isLockMissing: Bool) -> [Diagnostic] {
        let mentionsOfDrafts = drafts.map { version in mentions.filter { $0.version == version } }
        // Of versions that are named equally often, the newest one.
        guard
            let rarest = mentionsOfDrafts.indices.reversed().min(by: {
                mentionsOfDrafts[$0].count < mentionsOfDrafts[$1].count
            })
        else {
            return []
        }
        var named = mentionsOfDrafts[rarest].map { (file: $0.file, offset: $0.offset, version: $0.version) }
        named.sort { ($0.file.path, $0.offset) < ($1.file.path, $1.offset) }
        if named.isEmpty, let settings {
            // Only `versions` in `strata.json` names it.
            let offset = settings.listed?.first { $0.version == drafts[rarest] }?.offset ?? 0
            named = [(settings.file, offset, drafts[rarest])]
        }
        return named.enumerated().map { index, mention in
            let problem =
                index == 0
                ? Problem.severalDrafts(drafts.map(\.text), target: target, isLockMissing: isLockMissing)
                : .namedToo(mention.version.text)
            return mention.file.diagnostic(problem, at: mention.offset)
        }
    }

    /// Returns the error for a change of a released version, at the position of the changed element.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - released: The newest released version.
    ///   - path: The path to report if no description contains the change.
    package func diagnostic(of change: LockChange, released: Version, path: String) -> Diagnostic {
        let versions = history?.versions.map(\.version) ?? []
        let next = versions.first { $0 > released } ?? Version.next(after: versions) ?? released.next
        let problem = Problem.sealedChange(change, next: next.text)
        switch change {
        case .versionAdded(let version):
            if let mention = mentions.first(where: { $0.version == version }) {
                return mention.file.diagnostic(problem, at: mention.offset)
            }
        case .content(let edit):
            if let version = edit.versions.last, let diagnostic = sources?.diagnostic(problem, of: edit, in: version) {
                return diagnostic
            }
        case .step(let edit):
            if edit.owner == StepLine.configuration, let settings {
                let offset = settings.chain.first { $0.from.version == edit.from }?.from.offset ?? 0
                return settings.file.diagnostic(problem, at: offset)
            }
            if let diagnostic = sources?.diagnostic(problem, of: edit) { return diagnostic }
        case .versionRemoved(let version):
            if let settings, let current = settings.current, current.version < version {
                let problem = Problem.currentVersionIsOld(current.version.text, released: released.text)
                return settings.file.diagnostic(problem, at: current.offset)
            }
        case .tables: break
        }
        return Diagnostic(problem, path: path, position: nil)
    }
}
