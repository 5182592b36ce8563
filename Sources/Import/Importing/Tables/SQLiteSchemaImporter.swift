import Foundation
import SchemaModel
import SQLSchema
import Strata

/// Maps the tables of one version to Strata's terms.
struct SQLiteSchemaImporter {
    private let schema: SourceSchema
    private let index: Int
    private let tables: [SourceTable]
    /// The foreign keys that become relationships, by table.
    private var relationships: [String: [Relation]] = [:]
    private(set) var notes: [ImportNote] = []

    /// A foreign key that becomes a relationship.
    private struct Relation {
        var key: SourceTable.ForeignKey
        var target: SourceTable
        /// The column, or the common prefix of several columns; the first column if they have none.
        var column: String
        /// The columns in the order of the target's primary key, if they have no common prefix; empty in all other
        /// cases.
        var columns: [String] = []
    }

    init(_ schema: SourceSchema, at index: Int) throws {
        self.schema = schema
        self.index = index
        tables = try schema.tables()
    }

    /// Returns the version. Its tables and columns keep their names.
    mutating func version() -> ImportedVersion {
        for (entity, finding) in schema.leftOut { note(entity, nil, finding) }
        for table in tables { relationships[table.name] = relations(of: table) }
        noteChosenTypes()
        breakCycles()
        let entities = tables.map { entity($0) }
        let generated = zip(tables, entities).flatMap { table, entity in
            table.columns.filter { column in
                column.isGenerated && !entity.properties.contains { $0.computed != nil && $0.name == column.name }
            }.map { table.name + "." + $0.name }
        }
        var unread: [String: ImportedUnread.Reason] = [:]
        for table in schema.unreadTables { unread[table] = .table }
        for column in generated { unread[column] = .derived }
        var version = ImportedVersion(formerName: schema.formerName, entities: entities, unread: unread)
        version.rowStatements = schema.rowStatements
        (version.read, version.userVersion) = (schema.read, schema.userVersion)
        return version
    }

    private mutating func note(_ entity: String?, _ property: String?, _ finding: ImportFinding) {
        notes.append(ImportNote(version: index, entity: entity, property: property, finding: finding))
    }

    private func table(_ name: String) -> SourceTable? {
        tables.first { $0.name.lowercased() == name.lowercased() }
    }

    private static func isSame(_ left: String, _ right: String) -> Bool { left.lowercased() == right.lowercased() }

    // MARK: Types and keys

    private func type(of column: SourceTable.Column, in table: SourceTable) -> ScalarType {
        if let type = schema.types[.init(table.name, column.name)] { return type }
        if let type = column.affinity { return type }
        let declared = column.declaredType.uppercased()
        if declared.contains("BOOL") { return .bool }
        if declared.contains("DEC") || declared.contains("NUM") { return .decimal }
        return declared.isEmpty ? .data : .double
    }

    /// Reports the columns whose type neither the source nor SQLite determines.
    private mutating func noteChosenTypes() {
        for table in tables {
            for column in table.columns where schema.types[.init(table.name, column.name)] == nil {
                let type = type(of: column, in: table)
                let declared = column.declaredType.uppercased()
                guard column.affinity == nil, !column.isGenerated, type != .bool, type != .decimal else { continue }
                note(table.name, column.name, .values(.chosen(type), declared: declared))
            }
        }
    }

    private func column(_ name: String, of table: SourceTable) -> SourceTable.Column? {
        table.columns.first { Self.isSame($0.name, name) }
    }

    private func token(of column: SourceTable.Column, in table: SourceTable) -> String {
        schema.tokens[.init(table.name, column.name)] ?? column.name
    }

    /// Returns whether Strata accepts the primary key of the table.
    private func hasKey(_ table: SourceTable) -> Bool {
        !table.key.isEmpty
            && table.key.allSatisfy { name in
                column(name, of: table).map { [.int, .string, .uuid].contains(type(of: $0, in: table)) } ?? false
            }
    }

    // MARK: Foreign keys

    private typealias Problem = ImportFinding.ForeignKeyProblem

    private mutating func relations(of table: SourceTable) -> [Relation] {
        var relations: [Relation] = []
        for key in table.foreignKeys {
            switch relation(key, of: table, beside: relations) {
            case .success(let relation):
                relations.append(relation)
                if !["NO ACTION", "RESTRICT"].contains(key.onUpdate) {
                    note(table.name, nil, .foreignKey(key.columns, .onUpdate(key.onUpdate)))
                }
            case .failure(let problem): note(table.name, nil, .foreignKey(key.columns, problem))
            }
        }
        return relations
    }

    private func relation(
        _ key: SourceTable.ForeignKey, of table: SourceTable, beside others: [Relation]
    ) -> Result<Relation, Problem> {
        func refuse(_ problem: Problem) -> Result<Relation, Problem> { .failure(problem) }
        guard let target = self.table(key.table) else { return refuse(.noTable(key.table)) }
        guard hasKey(target) else { return refuse(.noPrimaryKey(of: target.name)) }
        let references = key.references.isEmpty ? target.key : key.references
        let columns = target.key.map { part in
            references.firstIndex { Self.isSame($0, part) }.flatMap {
                key.columns.indices.contains($0) ? key.columns[$0] : nil
            }
        }
        let found = columns.compactMap(\.self)
        guard found.count == target.key.count, references.count == target.key.count else {
            return refuse(.otherColumns(of: target.name))
        }
        for (name, part) in zip(found, target.key) {
            guard let own = column(name, of: table), let other = column(part, of: target) else {
                return refuse(.missingColumn)
            }
            if type(of: own, in: table) != type(of: other, in: target) {
                return refuse(.otherType(name, target: "\(target.name).\(part)"))
            }
            if own.isGenerated { return refuse(.generated(name)) }
            if others.contains(where: { $0.key.columns.contains { Self.isSame($0, name) } }) {
                return refuse(.inOtherKey(name))
            }
        }
        if found.count == 1 { return .success(Relation(key: key, target: target, column: found[0])) }
        let isNotNull = Set(found.compactMap { column($0, of: table)?.isNotNull })
        if isNotNull.count > 1 { return refuse(.partlyNullable) }
        let isInKey = Set(found.map { name in hasKey(table) && table.key.contains { Self.isSame($0, name) } })
        if isInKey.count > 1 { return refuse(.partlyInPrimaryKey) }
        if let part = target.key.first, found[0].hasSuffix("_" + part) {
            let base = String(found[0].dropLast(part.count + 1))
            if !base.isEmpty, zip(found, target.key).allSatisfy({ $0 == base + "_" + $1 }) {
                return .success(Relation(key: key, target: target, column: base))
            }
        }
        // Spell the names as the table declares them.
        let names = found.map { column($0, of: table)?.name ?? $0 }
        return .success(Relation(key: key, target: target, column: names[0], columns: names))
    }

    /// Turns foreign keys back into plain columns if they are part of a cycle of primary keys.
    private mutating func breakCycles() {
        func isInKey(_ relation: Relation, of table: SourceTable) -> Bool {
            table.key.contains { part in relation.key.columns.contains { Self.isSame($0, part) } }
        }
        for table in tables {
            for (index, relation) in (relationships[table.name] ?? []).enumerated().reversed()
            where isInKey(relation, of: table) {
                var reached: Set<String> = []
                var next = [relation.target]
                while let one = next.popLast() {
                    guard reached.insert(one.name).inserted else { continue }
                    next += (relationships[one.name] ?? []).filter { isInKey($0, of: one) }.map(\.target)
                }
                guard reached.contains(table.name) else { continue }
                relationships[table.name]?.remove(at: index)
                note(table.name, nil, .foreignKeyCycle)
            }
        }
    }

    // MARK: Entities

    private mutating func entity(_ table: SourceTable) -> ImportedEntity {
        var entity = ImportedEntity(name: table.name, token: schema.tokens[.init(table.name, "")])
        entity.isCustom = schema.customTables.contains(table.name)
        let copy = schema.copies[table.name]
        entity.copied = copy?.table
        entity.keyTokens = table.key.compactMap { schema.tokens[.init(table.name, $0)] }
        if table.isAutoincrement { note(table.name, nil, .autoincrement) }
        for clause in table.conflictClauses { note(table.name, nil, .conflictClause(clause)) }
        let relations = relationships[table.name] ?? []
        let hasKey = hasKey(table)
        func relation(with column: String) -> Relation? {
            relations.first { $0.key.columns.contains { Self.isSame($0, column) } }
        }
        let ownKey = hasKey && table.key.count == 1 && relation(with: table.key[0]) == nil ? table.key[0] : nil
        var names: [String: String] = [:]
        var taken = Set(table.columns.map { $0.name.lowercased() } + relations.map { $0.column.lowercased() })
        for column in table.columns {
            if column.isGenerated { continue }
            if let ownKey, Self.isSame(ownKey, column.name) {
                if let sql = column.defaultSQL, sql.uppercased() != "NULL" {
                    note(table.name, column.name, .defaultOfKey(sql))
                }
                if let name = column.collation { note(table.name, column.name, .keyCollation(name)) }
                if !column.isNotNull, type(of: column, in: table) != .int {
                    note(table.name, column.name, .keyWithNull)
                }
                continue
            }
            let isInKey = hasKey && table.key.contains { Self.isSame($0, column.name) }
            if let relation = relation(with: column.name) {
                // A foreign key of several columns is one property.
                if let name = names.first(where: { pair in
                    relation.key.columns.contains { Self.isSame($0, pair.key) }
                })?.value {
                    names[column.name.lowercased()] = name
                    continue
                }
                let name = Self.relationshipName(relation, taken: &taken)
                names[column.name.lowercased()] = name
                // A custom migration fills relationships, but a copy refers to its original by itself.
                switch schema.fills[.init(table.name, column.name)] {
                case .column(let value)?:
                    let isOriginal = copy.map { Self.isSame($0.table, relation.target.name) && $0.key == [value] }
                    if isOriginal != true { entity.isCustom = true }
                case .constant?: entity.isCustom = true
                case nil: break
                }
                entity.properties.append(relationship(relation, name, column, isInKey: isInKey, table))
            } else {
                names[column.name.lowercased()] = column.name
                var property = attribute(column, isInKey: isInKey, table)
                fill(&property, of: column, in: table, &entity)
                entity.properties.append(property)
            }
        }
        if let ownKey, let column = column(ownKey, of: table) {
            entity.identifier = .column(column.name, Self.kind(type(of: column, in: table)))
        } else if hasKey {
            var parts: [String] = []
            for name in table.key.compactMap({ names[$0.lowercased()] }) where !parts.contains(name) {
                parts.append(name)
            }
            entity.identifier = .properties(parts)
        } else if !table.key.isEmpty {
            note(table.name, nil, .keyWithoutIdentifier(table.key))
            add(IndexShape(table.key, unique: true), to: &entity, names, table)
        }
        // An index can contain computed columns. A check or another computed column cannot.
        var indexed = names
        for column in table.columns where column.isGenerated {
            if let property = computed(column, names, entity, table) {
                indexed[column.name.lowercased()] = column.name
                entity.properties.append(property)
            } else {
                note(table.name, column.name, .generated(column.generated ?? ""))
            }
        }
        for index in table.indexes { add(index, to: &entity, names, indexed, table, ownKey: ownKey, hasKey: hasKey) }
        for check in table.checks where !isTruthCheck(check.condition, of: table) {
            if let condition = condition(check.condition, names, entity), !condition.columns.isEmpty {
                entity.checks.append(ImportedCheck(name: check.name, condition: condition))
            } else {
                note(table.name, nil, .check(check.condition))
            }
        }
        return entity
    }

    /// Adds the value that existing rows get in a column. A custom migration computes what is not a value of the property.
    private func fill(
        _ property: inout ImportedProperty, of column: SourceTable.Column, in table: SourceTable,
        _ entity: inout ImportedEntity
    ) {
        switch schema.fills[.init(table.name, column.name)] {
        case .column(let name)?: property.fill = .property(name)
        case .constant(let sql)?:
            let type = type(of: column, in: table)
            let literal = property.form == nil ? DefaultValue.literal(sql: sql, type: type) : nil
            if let literal { property.fill = .constant(.raw(literal.json(type: type))) } else { entity.isCustom = true }
        case nil: break
        }
    }

    /// Returns whether a CHECK constraint only restricts a Boolean column to 0 and 1.
    private func isTruthCheck(_ check: String, of table: SourceTable) -> Bool {
        let tokens = SQLToken.tokens(of: check).filter { $0.isCode && !$0.isWord("(") && !$0.isWord(")") }
        let words = tokens.map { ($0.name ?? $0.text).lowercased() }
        return table.columns.contains { column in
            type(of: column, in: table) == .bool && words == [column.name.lowercased(), "in", "0", ",", "1"]
        }
    }

    private static func kind(_ type: ScalarType) -> Identifier.Kind {
        switch type {
        case .string: .string
        case .uuid: .uuid
        default: .int
        }
    }

    /// Returns the name of a relationship: the name of its column without a suffix such as `_id`, if that name is free.
    /// If several columns have no common prefix, the relationship is named after its target.
    private static func relationshipName(_ relation: Relation, taken: inout Set<String>) -> String {
        let column = relation.column
        if !relation.columns.isEmpty {
            let target = relation.target.name
            let name = target.prefix(1).lowercased() + target.dropFirst()
            if taken.insert(name.lowercased()).inserted { return name }
        }
        for ending in ["_id", "Id", "ID", "_ID"] where column.hasSuffix(ending) && column.count > ending.count {
            let name = String(column.dropLast(ending.count))
            if taken.insert(name.lowercased()).inserted { return name }
        }
        return column
    }

    private mutating func relationship(
        _ relation: Relation, _ name: String, _ column: SourceTable.Column, isInKey: Bool, _ table: SourceTable
    ) -> ImportedProperty {
        let isNullable = !column.isNotNull && !isInKey
        // Nil is the default of a description: `deny` for a required relationship, `nullify` for an optional one.
        var rule = SQLite.deleteRule(relation.key.onDelete)
        switch rule {
        case .nullify:
            if !isNullable { note(table.name, column.name, .setNull) }
            rule = nil
        case .deny: if !isNullable { rule = nil }
        case .cascade, .noAction: break
        case nil:
            note(table.name, column.name, .setDefault)
            rule = .noAction
        }
        if column.defaultSQL != nil, column.defaultSQL?.uppercased() != "NULL" {
            note(table.name, column.name, .defaultOfForeignKey)
        }
        return ImportedProperty(
            name: name, token: token(of: column, in: table),
            content: .relationship(
                ImportedRelationship(
                    target: relation.target.name, association: .toOne, rule: .whenTargetGoes(rule))),
            isNullable: isNullable,
            // Several columns use the name of the relationship as their prefix by default.
            column: relation.key.columns.count > 1 && relation.column == name ? nil : relation.column,
            columns: relation.columns, path: schema.paths[.init(table.name, column.name)])
    }

    private mutating func attribute(
        _ column: SourceTable.Column, isInKey: Bool, _ table: SourceTable
    ) -> ImportedProperty {
        let type = type(of: column, in: table)
        var property = ImportedProperty(
            name: column.name, token: token(of: column, in: table), content: .attribute(.scalar(type)),
            isNullable: !column.isNotNull && !isInKey, path: schema.paths[.init(table.name, column.name)],
            form: schema.forms[.init(table.name, column.name)])
        if let sql = column.defaultSQL, isInKey, sql.uppercased() != "NULL" {
            note(table.name, column.name, .defaultOfKey(sql))
        } else if let sql = column.defaultSQL, sql.uppercased() != "NULL" {
            property.defaultValue = DefaultValue.literal(sql: sql, type: type)
            // `ALTER TABLE … ADD COLUMN` gave this value to the rows, although it is of another type than the column.
            if property.form == nil, let (form, value) = DefaultValue.otherType(sql: sql, type: type) {
                (property.form, property.defaultValue) = (form, value)
                note(table.name, column.name, .defaultOfOtherType(sql, form))
            } else if property.defaultValue == nil {
                note(table.name, column.name, .defaultNotConstant(sql))
            }
        }
        if let name = column.collation {
            if let collation = Collation(rawValue: name.lowercased()), type == .string || type == .url {
                property.collation = collation
            } else {
                note(table.name, column.name, .collation(name))
            }
        }
        return property
    }

    /// Returns the property of a generated column; nil if a description cannot have it.
    ///
    /// - Parameter names: The names of properties, by the names of columns in lowercase.
    private func computed(
        _ column: SourceTable.Column, _ names: [String: String], _ entity: ImportedEntity, _ table: SourceTable
    ) -> ImportedProperty? {
        let type = type(of: column, in: table)
        guard let sql = column.generated, !column.isNotNull, column.collation == nil,
            schema.forms[.init(table.name, column.name)] == nil,
            [.int, .bool, .double, .string, .data].contains(type),
            let value = condition(sql, names, entity), !value.columns.isEmpty
        else { return nil }
        func scalar(_ name: String) -> ScalarType? { entity.properties.first { $0.name == name }?.scalar }
        let results = value.results { name in scalar(name).map { .value($0) } ?? .any }
        // Strata would cut the digits after the point, which the column keeps.
        let isWhole = value.columns.allSatisfy { scalar($0)?.storage != .real } && !value.hasFractions
        guard !results.isEmpty, results.allSatisfy({ $0.fits(type) }), isWhole || type == .double || type == .string
        else { return nil }
        return ImportedProperty(
            name: column.name, token: token(of: column, in: table), content: .attribute(.scalar(type)), computed: value,
            isNullable: true, path: schema.paths[.init(table.name, column.name)])
    }

    // MARK: Indexes

    private mutating func add(
        _ index: SourceTable.Index, to entity: inout ImportedEntity, _ names: [String: String],
        _ indexed: [String: String], _ table: SourceTable, ownKey: String?, hasKey: Bool
    ) {
        let columns = index.columns.compactMap(\.self)
        func leave(_ problem: ImportFinding.IndexProblem) {
            let names = index.columns.map { $0 ?? "an expression" }
            note(table.name, nil, .index(index.isUnique ? .unique : .index, names, problem))
        }
        if columns.count != index.columns.count { return leave(.expression(nil)) }
        var shape = IndexShape(columns, descending: index.descending, unique: index.isUnique)
        if let sql = index.condition {
            guard let condition = condition(sql, names, entity) else { return leave(.partial(sql)) }
            shape.condition = condition
        }
        if hasKey, index.isUnique, index.condition == nil,
            table.key.allSatisfy({ part in columns.contains { Self.isSame($0, part) } })
        {
            // The primary key is unique already.
            return
        }
        if let ownKey, columns.contains(where: { Self.isSame($0, ownKey) }) {
            if columns.count > 1 || index.condition != nil { leave(.primaryKey) }
            return
        }
        for (name, collation) in zip(columns, index.collations) {
            let own = column(name, of: table)?.collation ?? "BINARY"
            if own.uppercased() != collation.uppercased() {
                return leave(.otherCollation(collation, column: own))
            }
        }
        let computed = columns.first { names[$0.lowercased()] == nil && indexed[$0.lowercased()] != nil }
        if let computed, index.isUnique { return leave(.uniqueComputed(computed)) }
        add(shape, to: &entity, indexed, table)
    }

    /// Adds an index over columns.
    private mutating func add(
        _ shape: IndexShape<String>, to entity: inout ImportedEntity, _ names: [String: String], _ table: SourceTable
    ) {
        if let column = shape.columns.first(where: { names[$0.lowercased()] == nil }) {
            note(table.name, nil, .index(.index, shape.columns, .leftOut(column)))
            return
        }
        var index = ImportedIndex([], unique: shape.isUnique, where: shape.condition)
        for column in shape.columns {
            guard let name = names[column.lowercased()], !index.columns.contains(name) else { continue }
            index.columns.append(name)
            if shape.descending.contains(column) { index.descending.insert(name) }
        }
        if index.columns.count > 1 || index.condition != nil {
            entity.indexes.append(index)
        } else if let propertyIndex = entity.properties.firstIndex(where: { $0.name == index.columns.first }) {
            // SQLite reads an index on one column in both directions.
            if index.isUnique {
                entity.properties[propertyIndex].isUnique = true
            } else if entity.properties[propertyIndex].relationship == nil {
                entity.properties[propertyIndex].isIndexed = true
            }
        }
    }

    /// Parses a condition over the columns of a table; nil if descriptions cannot have it.
    ///
    /// - Parameter names: The names of properties, by the names of columns in lowercase.
    private func condition(
        _ sql: String, _ names: [String: String], _ entity: ImportedEntity
    ) -> RowExpression<String>? {
        guard let parsed = try? RowExpression(parsing: sql),
            // A relationship to a composite primary key has the name of several columns.
            parsed.columns.allSatisfy({ column in
                names[column.lowercased()].map { name in names.values.count { $0 == name } == 1 } ?? false
            })
        else { return nil }
        let condition = parsed.mapColumns { names[$0.lowercased()] ?? "" }
        // The store may have other values than the database, such as numbers for dates. NULL is the same in both.
        let isSame = condition.comparedColumns.allSatisfy { name in
            guard let property = entity.properties.first(where: { $0.name == name }) else { return false }
            guard case .attribute(.scalar(let type)) = property.content, property.form == nil else { return false }
            return [.int, .bool, .double, .string, .data].contains(type)
        }
        return isSame ? condition : nil
    }
}
