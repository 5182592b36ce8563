import SchemaModel

/// All versions of a schema, and the steps between them.
package struct SchemaHistory: Sendable {
    /// The name of the schema's type: `LaundrySchema`.
    package let name: String
    /// The versions, oldest first; never empty.
    package let versions: [ModelVersion]
    /// The steps by which stores are migrated, oldest first. Of several from one version, the first is the default.
    package let steps: [SchemaStep]
    /// The steps between each version and the next one, oldest first. They differ from `steps` where a chain passes over
    /// versions.
    let neighbours: [SchemaStep]
    /// The oldest version whose apps can use the stores of a version, if that is another one.
    let oldestCompatible: [Version: Version]
    /// The base names of the entities' descriptions, by lineage: `LaundryItem` for `LaundryItem.json`.
    package let sources: [String]
    /// The base names of the subtypes' descriptions, by lineage.
    package let subtypeSources: [String]
    /// The base names of the descriptions of entities that are not stored.
    package let unpersisted: [String]
    /// The names that imported versions had in the other library.
    package let formerNames: [Version: String]
    /// The databases from which the model was imported; nil if it was not imported.
    package let imported: ImportedSource?

    /// Creates a history, with its steps.
    ///
    /// - Parameters:
    ///   - name: The name of the schema's type.
    ///   - versions: The versions, oldest first. There must be at least one.
    ///   - instructions: The instructions of the descriptions. The first are for the step from the first version to the
    ///     second.
    ///   - sources: The base names of the entities' descriptions, by lineage.
    ///   - subtypeSources: The base names of the subtypes' descriptions, by lineage.
    ///   - unpersisted: The base names of the descriptions of entities that are not stored.
    ///   - formerNames: The names that imported versions had in the other library.
    ///   - chain: The versions after which stores are not only migrated to the next version, each with the versions to which
    ///     they can be migrated. The first of these is the default.
    ///   - imported: The databases from which the model was imported.
    package init(
        name: String, versions: [ModelVersion], instructions: [StepInstructions], sources: [String],
        subtypeSources: [String] = [], unpersisted: [String] = [], formerNames: [Version: String] = [:],
        chain: [Version: [Version]] = [:], imported: ImportedSource? = nil
    ) {
        let neighbours = Array(versions.indices.dropLast()).concurrentMap { from in
            Self.step(from: from, to: from + 1, among: versions, instructions)
        }
        let steps = versions.indices.dropLast().flatMap { from in
            let next = (chain[versions[from].version] ?? []).compactMap { to in
                versions.firstIndex { $0.version == to }
            }
            return (next.isEmpty ? [from + 1] : next).map { to in
                to == from + 1 ? neighbours[from] : Self.step(from: from, to: to, among: versions, instructions)
            }
        }
        self.init(
            name: name, versions: versions, steps: steps, neighbours: neighbours, sources: sources,
            subtypeSources: subtypeSources,
            unpersisted: unpersisted, formerNames: formerNames, imported: imported)
    }

    private init(
        name: String, versions: [ModelVersion], steps: [SchemaStep], neighbours: [SchemaStep], sources: [String],
        subtypeSources: [String], unpersisted: [String], formerNames: [Version: String], imported: ImportedSource?
    ) {
        self.name = name
        self.versions = versions
        self.steps = steps
        self.neighbours = neighbours
        oldestCompatible = Self.oldestCompatible(neighbours)
        self.sources = sources
        self.subtypeSources = subtypeSources
        self.unpersisted = unpersisted
        self.formerNames = formerNames
        self.imported = imported
    }

    /// Returns whether stores of a version exist only during the conversion of another library's database. This is so
    /// if this version and the next one were imported.
    package func isPassedInConversion(_ version: Version) -> Bool {
        isImported(version) && versions.first { $0.version > version }.map { isImported($0.version) } ?? false
    }

    /// The lineages of all entities.
    package var entityLineages: [EntityLineage] { sources.indices.map { EntityLineage($0) } }

    /// The lineages of all subtypes.
    package var subtypeLineages: [SubtypeLineage] { subtypeSources.indices.map { SubtypeLineage($0) } }

    /// The newest version.
    package var newest: ModelVersion { versions[versions.count - 1] }

    /// Returns the history without the versions that are older than `version`, which must be one of the versions.
    package func supported(from version: Version) -> SchemaHistory {
        SchemaHistory(
            name: name, versions: versions.filter { $0.version >= version },
            steps: steps.filter { $0.from.version >= version },
            neighbours: neighbours.filter { $0.from.version >= version }, sources: sources,
            subtypeSources: subtypeSources,
            unpersisted: unpersisted, formerNames: formerNames, imported: imported)
    }

    /// Returns the history without the versions that are newer than `version`, which must be one of the versions.
    ///
    /// A chain to a newer version has no effect yet.
    package func upTo(_ version: Version) -> SchemaHistory {
        let neighbours = neighbours.filter { $0.to.version <= version }
        return SchemaHistory(
            name: name, versions: versions.filter { $0.version <= version },
            steps: neighbours.flatMap { neighbour in
                let ways = steps(from: neighbour.from.version).filter { $0.to.version <= version }
                return ways.isEmpty ? [neighbour] : ways
            },
            neighbours: neighbours, sources: sources, subtypeSources: subtypeSources, unpersisted: unpersisted,
            formerNames: formerNames, imported: imported)
    }

    /// Returns the steps by which stores of a version can be migrated; the first is the default.
    package func steps(from version: Version) -> [SchemaStep] { steps.filter { $0.from.version == version } }

    /// Returns the facts about the step from a version to the next one that the two do not show. One is the versions to which
    /// `chain` leads stores instead, as far as they are among `sealed`.
    func stepLines(from index: Int, sealed: Set<Version>) -> [StepLine] {
        let neighbour = neighbours[index]
        let targets = steps(from: neighbour.from.version).map(\.to.version).filter(sealed.contains)
        let isChained = !targets.isEmpty && targets != [neighbour.to.version]
        return (neighbour.lines + (isChained ? [.chain(to: targets)] : [])).sorted { $0.text.isBefore($1.text) }
    }

    /// Returns whether a version was imported, so that databases of it existed before the schema.
    package func isImported(_ version: Version) -> Bool { imported != nil && formerNames[version] != nil }

    /// Returns the step between two versions, which need not be neighbours.
    private static func step(
        from: Int, to: Int, among versions: [ModelVersion], _ instructions: [StepInstructions]
    ) -> SchemaStep {
        let passed = versions[(from + 1)...to]
        let unchanged = passed.dropFirst().reduce(passed.first?.unchanged ?? []) { $0.intersection($1.unchanged) }
        let subtypes = passed.dropFirst().reduce(passed.first?.unchangedSubtypes ?? []) {
            $0.intersection($1.unchangedSubtypes)
        }
        return SchemaStep(
            from: versions[from], to: versions[to],
            instructions: instructions[from..<to].dropFirst().reduce(instructions[from]) { $0.followed(by: $1) },
            unchanged: unchanged, unchangedSubtypes: subtypes)
    }
}
