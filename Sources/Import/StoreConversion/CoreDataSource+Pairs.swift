import SQLSchema
import Strata

extension CoreDataSource {
    /// Finds the pairs of a to-many relationship.
    ///
    /// If the relationship has an inverse, the pairs are in a join table, which the names of its columns show. Otherwise,
    /// they are in the table of the targets.
    ///
    /// - Returns: The name of the table with the pairs; empty if they stay in the database.
    /// - Throws: `MissingElement` if there is no such table, or if several could be it.
    func convert(
        joinTable table: SQLSchema.Table, at index: Int, _ unread: [ImportedUnread],
        _ roots: inout [String: CoreDataClaims], into match: inout VersionMatch
    ) throws(MissingElement) -> String {
        let ends = table.foreignKeys.map(\.target)
        guard ends.count == 2, table.name.hasPrefix(ends[0] + "_") else {
            throw MissingElement(what: "the table \(table.name)")
        }
        let name = String(table.name.dropFirst(ends[0].count + 1))
        let source = format.sources(of: name, in: ends[0], at: index)[0]
        if unread.contains(where: { $0.name == source }) {
            // The import reported that these pairs stay in the old database.
            match.tables.append(
                ConvertedTable(
                    table: table, source: "", key: "''", values: table.columnNames.map { _ in "NULL" },
                    from: "sqlite_schema WHERE 0"))
            return ""
        }
        let parts = source.split(separator: ".", maxSplits: 1).map(String.init)
        let (entity, property) = (parts.first ?? ends[0], (parts.last ?? name).uppercased())
        if format.form(of: name, in: ends[0], at: index) == .ownerKeys {
            let root = family.root(of: ends[1])
            guard let targets = roots[root]?.table,
                let column = ownerColumn(of: property, entity == ends[0] ? nil : entity, of: ends[0], in: targets)
            else { throw MissingElement(what: "the owners' keys of \(ends[0]).\(name)") }
            roots[root]?.readOwner(column)
            match.tables.append(pairs(table, column, of: ends[1], in: targets))
            return targets.name
        }
        typealias Join = (table: JoinTable, source: String, target: String)
        var found: [Join] = []
        var exact: [Join] = []
        for join in joins {
            for (target, source) in [(join.keys[0], join.keys[1]), (join.keys[1], join.keys[0])] {
                guard let end = Self.number(in: target, after: "Z_"), family.isIn(end.number, ends[1]),
                    end.rest.hasPrefix(property)
                else { continue }
                if source != "REFLEXIVE" {
                    guard let owner = Self.number(in: source, after: "Z_"), family.isIn(owner.number, ends[0]),
                        entity == ends[0] || owner.number == family.number(of: entity)
                    else { continue }
                }
                let rest = end.rest.dropFirst(property.count)
                guard rest.allSatisfy({ $0.isASCII && $0.isNumber }) else { continue }
                found.append((join, source, target))
                if rest.isEmpty { exact.append((join, source, target)) }
            }
        }
        let candidates = exact.isEmpty ? found : exact
        guard candidates.count == 1, let join = candidates.first else {
            let hint = candidates.count > 1 ? ": several could be it" : ""
            throw MissingElement(what: "the table of \(ends[0]).\(name)" + hint)
        }
        let (owner, target) = (SQL.quoted(join.source), SQL.quoted(join.target))
        // `Z_FOK_5NAME` is the position of the object in `Z_5NAME`.
        func positionColumn(of object: String) -> String { "Z_FOK_" + object.dropFirst(2) }
        func position(of object: String, at other: String) -> String {
            let order = [positionColumn(of: object)].filter(join.table.columns.contains) + [object]
            return "row_number() OVER (PARTITION BY \(SQL.quoted(other)) ORDER BY \(SQL.list(order))) - 1"
        }
        var values = [owner, target, position(of: join.target, at: join.source)]
        let isOrdered = table.columnNames.contains(SQLSchema.Table.inversePosition)
        if isOrdered { values.append(position(of: join.source, at: join.target)) }
        let column = positionColumn(of: join.source)
        if isOrdered != join.table.columns.contains(column) {
            let name = join.table.name + "." + column
            if isOrdered { match.missing.append(name) } else { match.extra.append(name) }
        }
        match.tables.append(
            ConvertedTable(
                table: table, source: join.table.name, key: "\(owner) || ', ' || \(target)", values: values,
                from: "\(SQL.quoted(join.table.name)) WHERE \(owner) IS NOT NULL AND \(target) IS NOT NULL"))
        return join.table.name
    }

    /// Finds the column with the owner's key of a to-many relationship without an inverse; nil if there is none, or if
    /// several could be it.
    ///
    /// - Parameters:
    ///   - property: The name of the relationship in uppercase.
    ///   - entity: The entity that declares the relationship; nil if it is unknown.
    ///   - owner: An entity in the table of the owners.
    ///   - targets: The table of the targets.
    private func ownerColumn(
        of property: String, _ entity: String?, of owner: String, in targets: Table
    ) -> String? {
        let columns = targets.columns.keys.filter { name in
            guard let numbered = Self.number(in: name, after: "Z"), numbered.rest == property else { return false }
            return family.isIn(numbered.number, owner)
                && (entity == nil || numbered.number == entity.flatMap(family.number))
        }
        return columns.count == 1 ? columns.first : nil
    }

    /// Returns the pairs of a to-many relationship without an inverse.
    private func pairs(
        _ table: SQLSchema.Table, _ column: String, of target: String, in targets: Table
    ) -> ConvertedTable {
        let owner = SQL.quoted(targets.columns[column]?.name ?? column)
        let position = "Z_FOK_" + column.dropFirst()
        let order = [position].filter { targets.columns[$0] != nil } + ["Z_PK"]
        return ConvertedTable(
            table: table, source: targets.name, key: "\(owner) || ', ' || Z_PK",
            values: [
                owner, "Z_PK", "row_number() OVER (PARTITION BY \(owner) ORDER BY \(SQL.list(order))) - 1",
            ],
            from: "\(SQL.quoted(targets.name)) WHERE \(owner) IS NOT NULL "
                + "AND Z_ENT IN \(CoreDataFamily.list(family.numbers(of: target)))")
    }
}
