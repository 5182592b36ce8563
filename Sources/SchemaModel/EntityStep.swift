/// What one step does to an entity that lives before and after it.
public struct EntityStep: Sendable {
    /// The entity before.
    public let old: Entity
    /// The entity after.
    public let new: Entity
    /// Each stored column of the new table, and where its value comes from.
    public let columns: [ColumnStep]
    /// Whether all its rows go.
    public let isEmptied: Bool
    /// Whether a person's code turns old rows into new ones.
    public let isCustom: Bool
    /// What only a person can carry out, in words.
    public let customReasons: [String]
    /// What is done to its table and to its join tables.
    public let tableChanges: [TableChange]

    /// A column of the new table, and where its value comes from.
    public struct ColumnStep: Sendable {
        /// The column after the step.
        public let column: StoredColumn
        /// Where its value comes from.
        public let origin: ValueOrigin
    }

    init(from: SchemaVersion, to: SchemaVersion, old: Entity, new: Entity, instructions: StepInstructions) {
        self.old = old
        self.new = new
        let inference = ColumnInference(from: from, to: to, old: old, new: new, instructions: instructions)
        let columns = to.columns(of: new).map { ColumnStep(column: $0, origin: inference.origin(of: $0)) }
        self.columns = columns
        let isEmptied = instructions.emptied.contains(new.lineage)
        self.isEmptied = isEmptied

        var rowReasons: [String] = []
        var otherReasons: [String] = []
        if instructions.custom.contains(.init(entity: new.lineage)) {
            rowReasons.append("`\(new.name)` asks for a custom migration")
        }
        if !isEmptied {
            for column in columns {
                if case .custom(let reason) = column.origin {
                    rowReasons.append("`\(new.name).\(column.column.name)` \(reason)")
                }
            }
            rowReasons += Self.narrowedIndexes(from: from, to: to, old: old, new: new).map {
                "`\(new.name)`: the unique index \($0) may find duplicates"
            }
        }
        for property in old.properties where new.property(property.lineage) == nil && !isEmptied {
            let holdsData = property.relationship.map { [.column, .joinTable].contains(from.storage(of: $0)) } ?? true
            let isDiscarded = instructions.discarded.contains(.init(entity: old.lineage, property: property.lineage))
            if holdsData && !isDiscarded {
                otherReasons.append("`\(old.name).\(property.name)` is removed without \"discard\": true")
            }
        }

        var changes: [TableChange] = []
        let oldTable = from.table(of: old)
        let newTable = to.table(of: new)
        if isEmptied {
            changes += [.drop(oldTable.name), .create(newTable.name)]
        } else if !rowReasons.isEmpty {
            changes.append(.custom(from: oldTable.name, to: newTable.name))
        } else {
            let expressions = inference.expressions(of: columns)
            if oldTable != newTable || !expressions.isEmpty {
                changes.append(.map(from: oldTable.name, to: newTable.name, columns: expressions))
            }
        }
        let joins = JoinTableInference(from: from, to: to, old: old, new: new, isEmptied: isEmptied)
        changes += joins.changes
        otherReasons += joins.customReasons

        self.isCustom = !rowReasons.isEmpty
        self.customReasons = rowReasons + otherReasons
        self.tableChanges = changes
    }

    /// The unique indexes that rows of the old version may break: new ones, and ones over fewer columns.
    private static func narrowedIndexes(
        from: SchemaVersion, to: SchemaVersion, old: Entity, new: Entity
    ) -> [String] {
        let before = UniqueKey.all(of: old, in: from)
        return UniqueKey.all(of: new, in: to)
            .filter { key in !before.contains { $0.implies(key) } }
            .filter { key in !key.isNewborn(in: old) }
            .map { key in "on " + key.names.map { "`\($0)`" }.joined(separator: ", ") }
    }
}

/// Columns in which no two rows agree.
private struct UniqueKey {
    let properties: Set<Int>
    let collations: [Int: Property.Collation]
    let names: [String]
    let nullable: Set<Int>
    let defaults: Set<Int>

    static func all(of entity: Entity, in version: SchemaVersion) -> [UniqueKey] {
        var keys: [[Int]] = []
        for property in entity.properties {
            let isPair =
                property.relationship.map {
                    version.storage(of: $0) == .column && $0.association == .toOne
                        && version.inverse(of: $0)?.relationship?.association == .toOne
                } ?? false
            if property.isUnique || isPair { keys.append([property.lineage]) }
        }
        keys += entity.indexes.filter(\.isUnique).map(\.properties)
        return keys.map { lineages in
            let properties = lineages.compactMap(entity.property)
            return UniqueKey(
                properties: Set(lineages),
                collations: Dictionary(
                    properties.compactMap { property in property.collation.map { (property.lineage, $0) } },
                    uniquingKeysWith: { first, _ in first }),
                names: properties.map(\.name),
                nullable: Set(properties.filter(\.isNullable).map(\.lineage)),
                defaults: Set(properties.filter { $0.defaultValue != nil }.map(\.lineage)))
        }
    }

    /// Whether rows that keep this key cannot break `other`: it has all these columns, compared no more loosely.
    func implies(_ other: UniqueKey) -> Bool {
        properties.isSubset(of: other.properties)
            && properties.allSatisfy { other.collations[$0] == nil || other.collations[$0] == collations[$0] }
    }

    /// Whether one of the columns is new and NULL in every old row, so that no two of them can agree
    /// (https://sqlite.org/lang_createindex.html: "all NULL values are considered different").
    func isNewborn(in old: Entity) -> Bool {
        properties.contains { old.property($0) == nil && nullable.contains($0) && !defaults.contains($0) }
    }
}
