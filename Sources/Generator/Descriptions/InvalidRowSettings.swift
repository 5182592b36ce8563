import JSONText
import SchemaDiff
import SchemaModel
import SQLSchema

/// The settings in `invalid_rows` of `imported`. They define, for each entity, how a conversion treats rows that do not
/// fit.
package struct InvalidRowSettings: Sendable {
    private let file: SourceFile
    private let members: [JSON.Member]
    private var diagnostics: [Diagnostic] = []

    init(_ json: JSON?, file: SourceFile) {
        self.file = file
        guard let json else {
            members = []
            return
        }
        guard case .object(let members) = json.value else {
            self.members = []
            let expected = "an object like {\"Tag\": \"refuse\"}"
            report(.wrongKind(key: "invalid_rows", expected: expected, found: json.kind), json)
            return
        }
        self.members = members
    }

    /// Whether there are policies, for which tests are generated.
    package var isEmpty: Bool { members.isEmpty }

    /// Returns the policies by table and version, and diagnostics about wrong settings.
    package func resolved(in history: SchemaHistory) -> (policies: [ImportedInvalidRows], diagnostics: [Diagnostic]) {
        var settings = self
        var lineages: [EntityLineage: String] = [:]
        let policies = members.flatMap { settings.policies(of: $0, in: history, &lineages) }
        return (policies, settings.diagnostics)
    }

    private mutating func report(_ problem: Problem, _ json: JSON) {
        diagnostics.append(file.diagnostic(problem, at: json.offset))
    }

    /// Reads the policies of one entity.
    ///
    /// - Parameters:
    ///   - member: The setting of the entity.
    ///   - history: The schema history.
    ///   - lineages: The names of the entities that already have a policy, by lineage.
    private mutating func policies(
        of member: JSON.Member, in history: SchemaHistory, _ lineages: inout [EntityLineage: String]
    ) -> [ImportedInvalidRows] {
        // Find the entity in the newest version that has an entity with this name.
        guard let last = history.versions.lastIndex(where: { $0.entities.contains { $0.name == member.key } }),
            let entity = history.versions[last].entities.first(where: { $0.name == member.key })
        else {
            let names = history.newest.entities.map(\.name).sorted()
            let problem = Problem.unknownEntity(
                member.key, version: history.newest.version.text, nearest: names.nearest(to: member.key))
            diagnostics.append(file.diagnostic(problem, at: member.keyOffset))
            return []
        }
        if let other = lineages.updateValue(member.key, forKey: entity.lineage) {
            let problem = Problem.keyDoesNotApply(member.key, because: "the entity has a policy already, as `\(other)`")
            diagnostics.append(file.diagnostic(problem, at: member.keyOffset))
            return []
        }
        guard let policy = policy(member.value, of: entity, in: history) else { return [] }
        var policies: [ImportedInvalidRows] = []
        for (versionIndex, version) in history.versions.enumerated() where history.formerNames[version.version] != nil {
            guard let entity = version.entity(entity.lineage) else { continue }
            guard let policy = lowered(policy, of: entity, in: version) else { continue }
            let table = entity.tableName
            let run = policies.lastIndex { $0.table == table && $0.versions.upperBound == versionIndex - 1 }
            if let run, policies[run].policy == policy {
                policies[run].versions = policies[run].versions.lowerBound...versionIndex
            } else {
                policies.append(ImportedInvalidRows(table, policy, versions: versionIndex...versionIndex))
            }
        }
        return policies
    }

    // MARK: Reading

    /// A policy that refers to properties by lineage.
    private enum Policy {
        case same(ImportedInvalidRows.Policy)
        case fill([(property: ElementLineage, value: Value)])
    }

    /// A value in a `fill` policy.
    private enum Value {
        case null
        /// A scalar value. It is read as the type that the property has in each version.
        case scalar(JSON)
        /// A case of an enum, by its lineage.
        case choice(ElementLineage)
    }

    private mutating func policy(_ json: JSON, of entity: Entity, in history: SchemaHistory) -> Policy? {
        switch json.value {
        case .string("set-aside"): return .same(.setAside)
        case .string("drop"): return .same(.drop)
        case .string("refuse"): return .same(.refuse)
        case .string(let text):
            report(
                .unknownValue(text, of: "invalid_rows", allowed: ["set-aside", "drop", "refuse"]),
                json)
            return nil
        case .object(let members):
            guard members.map(\.key) == ["fill"], case .object(let properties) = members[0].value.value else { break }
            var values: [(property: ElementLineage, value: Value)] = []
            for property in properties {
                if let value = fill(property, of: entity, in: history) { values.append(value) }
            }
            return .fill(values)
        default: break
        }
        let expected = "\"set-aside\", \"drop\", \"refuse\" or {\"fill\": {\"property\": value}}"
        report(.wrongKind(key: entity.name, expected: expected, found: json.kind), json)
        return nil
    }

    private mutating func fill(
        _ member: JSON.Member, of newest: Entity, in history: SchemaHistory
    ) -> (property: ElementLineage, value: Value)? {
        let json = member.value
        // The databases may contain a property that a later version removes.
        let states = history.versions.reversed().compactMap { version in
            version.entity(newest.lineage).map { (version: version, entity: $0) }
        }
        guard let (version, entity) = states.first(where: { $0.entity.properties.contains { $0.name == member.key } }),
            let property = entity.properties.first(where: { $0.name == member.key })
        else {
            if case .column(member.key, _) = newest.identifier {
                let problem = Problem.keyDoesNotApply(member.key, because: "it is the primary key")
                diagnostics.append(file.diagnostic(problem, at: member.keyOffset))
                return nil
            }
            let nearest = newest.properties.map(\.name).nearest(to: member.key)
            let problem = Problem.unknownProperty(
                member.key, of: newest.name, version: (states.first?.version ?? history.newest).version.text,
                nearest: nearest)
            diagnostics.append(file.diagnostic(problem, at: member.keyOffset))
            return nil
        }
        func refuse(_ reason: String) -> (property: ElementLineage, value: Value)? {
            diagnostics.append(
                file.diagnostic(.keyDoesNotApply(member.key, because: reason), at: member.keyOffset))
            return nil
        }
        guard let type = property.type else {
            return refuse("a dangling foreign key is set to null, or its row is set aside")
        }
        let column = version.columns(of: entity).first { $0.property == property.lineage }
        if column?.isKey == true { return refuse("it is part of the primary key") }
        if property.isUnique { return refuse("it is unique, and two rows with the same fill would not be") }
        if case .null = json.value {
            guard property.isNullable else { return refuse("it is not nullable") }
            return (property.lineage, .null)
        }
        switch type {
        case .scalar(let scalar):
            if LiteralReader.literal(json, type: scalar) != nil { return (property.lineage, .scalar(json)) }
            report(
                .wrongLiteral(
                    key: member.key, type: scalar.rawValue, found: json.kind, hint: scalar.facts.literalHint), json)
            return nil
        case .subtype(let lineage):
            guard let subtype = version.subtype(lineage), case .cases(let cases) = subtype.kind else { break }
            guard case .string(let name) = json.value, let found = cases.first(where: { $0.name == name }) else {
                report(
                    .wrongLiteral(
                        key: member.key, type: subtype.name, found: json.kind, hint: "write the name of a case"), json)
                return nil
            }
            return (property.lineage, .choice(found.lineage))
        case .array, .dictionary: break
        }
        return refuse("a fill is a single value")
    }

    // MARK: Versions

    /// Returns the policy for an entity's table in one version; nil if a `fill` policy has no property of this version.
    private func lowered(
        _ policy: Policy, of entity: Entity, in version: ModelVersion
    ) -> ImportedInvalidRows.Policy? {
        switch policy {
        case .same(let policy): return policy
        case .fill(let values):
            var columns: [String: String] = [:]
            for (property, value) in values {
                guard let column = version.columns(of: entity).first(where: { $0.property == property }),
                    column.role == .attribute, let sql = sql(value, of: column, in: version)
                else { continue }
                columns[column.name] = sql
            }
            return columns.isEmpty ? nil : .fill(columns)
        }
    }

    /// Returns SQL for a value in the form in which a version stores it; nil if the property has another type there.
    private func sql(_ value: Value, of column: StoredColumn, in version: ModelVersion) -> String? {
        switch (value, column.type) {
        case (.null, _): return column.isNullable ? "NULL" : nil
        case (.scalar(let json), .scalar(let type)): return LiteralReader.literal(json, type: type).map(SQLite.literal)
        case (.choice(let lineage), .subtype(let subtype)):
            guard case .cases(let cases) = version.subtype(subtype)?.kind else { return nil }
            return cases.first { $0.lineage == lineage }.map { SQL.literal($0.value) }
        default: return nil
        }
    }
}
