import SchemaModel
import SQLSchema

/// Identifies the tables and columns of a replay across its stages, and finds what an inferred migration does not do.
struct ReplayLineages {
    private let stages: [SQLReplay.Stage]
    /// The stage that is added next, and the tables that continue those of the stage before.
    private var index = 0
    private var owners: [Int: Int] = [:]
    /// The identities of the tables and columns, by their numbers.
    private var tokens: [Int: String] = [:]
    /// The tables that the files copied and then left until a later file dropped them.
    private var left: Set<Int> = []
    /// The identities that a statement has read which a description cannot express.
    private var read: Set<String> = []
    /// The columns of the stage before that are never NULL, and those of primary keys.
    private var required: Set<Int> = []
    private var keys: Set<Int> = []

    init(_ stages: [SQLReplay.Stage]) { self.stages = stages }

    /// Begins a stage: finds the tables that continue those of the stage before. The stages follow each other.
    mutating func followRows(at index: Int) {
        (self.index, owners) = (index, [:])
        guard index > 0 else { return }
        for origin in Set(stages[index].tables.compactMap(\.origin)) { owners[origin] = owner(of: origin) }
    }

    /// Adds the identities to the schema of the stage, and what an inferred migration to it does not do.
    ///
    /// - Parameter file: The name of the file that leads to the stage.
    mutating func add(to schema: inout SourceSchema, file: String) throws {
        let stage = stages[index]
        let sources = Dictionary(try schema.tables().map { ($0.name.lowercased(), $0) }) { first, _ in first }
        var new = tokens
        var ownReads: Set<String> = []
        for table in stage.tables where !left.contains(table.number) {
            // Of the statements that the rows come from, those of tables that still exist belong to these.
            func own(_ statements: [SQLReplay.Statement]) -> [SQLReplay.Statement] {
                statements.filter { statement in
                    statement.table == table.number || !stage.tables.contains { $0.number == statement.table }
                }
            }
            let source = sources[table.name.lowercased()]
            var changes = own(table.changes + (source.map { mayRefuse(table, $0) } == false ? [] : table.selections))
            if let origin = table.origin, owners[origin] == table.number {
                new[table.number] = tokens[origin]
                take(table, &new, &schema)
                // Rows that stay in their table cannot be left out.
                if table.required != nil { changes = own(table.statements) }
            } else {
                new[table.number] = "#\(table.number)"
                for column in table.columns { new[column.number] = "#\(column.number)" }
                // The rows stay where they were, too.
                if let source, let copy = copy(table, source, &schema) {
                    schema.copies[table.name] = copy
                } else {
                    changes = own(table.statements)
                }
            }
            schema.tokens[.init(table.name, "")] = new[table.number]
            for column in table.columns { schema.tokens[.init(table.name, column.name)] = new[column.number] }
            // The tools' own tables, and those of searches, are not part of the schema.
            if sources[table.name.lowercased()] == nil { continue }
            for statement in own(table.statements) where index > 0 {
                let reads = Set(statement.reads.union(statement.ownReads).compactMap { tokens[$0] })
                schema.rowStatements.append(
                    RowChange(table: table.name, sql: statement.sql, line: statement.line, reads: reads))
            }
            for change in changes.sorted(by: { $0.line < $1.line }) {
                schema.leftOut.append((table.name, .rowChange(file: file, line: change.line, verb: change.verb)))
                if index == 0 { continue }
                read.formUnion(change.reads.compactMap { tokens[$0] })
                ownReads.formUnion(change.ownReads.compactMap { tokens[$0] })
                schema.customTables.insert(table.name)
            }
        }
        let numbers = Set(stage.tables.map(\.number))
        for statement in stage.statements where index > 0 && !numbers.contains(statement.table) {
            if schema.rowStatements.contains(where: { $0.line == statement.line && $0.sql == statement.sql }) {
                continue
            }
            let reads = Set(statement.reads.union(statement.ownReads).compactMap { tokens[$0] })
            schema.rowStatements.append(
                RowChange(table: nil, sql: statement.sql, line: statement.line, reads: reads))
        }
        tokens = new
        schema.read = read.union(ownReads)
        (required, keys) = ([], [])
        for table in stage.tables {
            guard let source = sources[table.name.lowercased()] else { continue }
            for (column, own) in zip(table.columns, source.columns) {
                if own.isNotNull { required.insert(column.number) }
                if source.key.contains(own.name) { keys.insert(column.number) }
            }
        }
    }

    /// Returns the origin of a new table that has copies of the rows of another one; nil if a description cannot express this.
    private func copy(
        _ table: SQLReplay.Table, _ new: SourceTable, _ schema: inout SourceSchema
    ) -> SourceSchema.Copy? {
        guard index > 0, let origin = table.origin, table.changes.isEmpty, table.selections.isEmpty,
            let source = stages[index - 1].tables.first(where: { $0.number == origin })
        else { return nil }
        var names: [(SourceSchema.ColumnName, String)] = []
        var keyParts: Set<Int> = []
        var stricter: Set<Int> = []
        for (column, own) in zip(table.columns, new.columns) {
            switch column.value {
            case .column(let number):
                guard let name = source.columns.first(where: { $0.number == number })?.name else { return nil }
                names.append((.init(table.name, column.name), name))
                if new.key.contains(own.name) { keyParts.insert(number) }
                if own.isNotNull, !required.contains(number), !keys.contains(number) { stricter.insert(number) }
            case .initial, .constant("NULL"):
                // It would get the values of the column that has its name.
                if new.key.contains(own.name) || source.column(column.name) != nil { return nil }
            case .coalesce, .constant, .unknown: return nil
            }
        }
        let sourceKey = keys.intersection(source.columns.map(\.number))
        guard keyParts == sourceKey, !keyParts.isEmpty, stricter == Set([table.required].compactMap(\.self)) else {
            return nil
        }
        for (column, name) in names { schema.fills[column] = .column(name) }
        return .init(table: source.name, key: source.columns.filter { sourceKey.contains($0.number) }.map(\.name))
    }

    /// Returns whether a table has a constraint that rows of the stage before may break.
    private func mayRefuse(_ table: SQLReplay.Table, _ source: SourceTable) -> Bool {
        if !source.checks.isEmpty || source.indexes.contains(where: \.isUnique) { return true }
        return zip(table.columns, source.columns).contains { column, own in
            let isKey = source.key.contains(own.name)
            return switch column.value {
            case .column(let number): isKey && !keys.contains(number) || own.isNotNull && !required.contains(number)
            case .coalesce, .constant, .initial: isKey
            case .unknown: true
            }
        }
    }

    /// The tables that the schema of a stage leaves out.
    func leftTables(at index: Int) -> [String] {
        stages[index].tables.filter { left.contains($0.number) }.map(\.name)
    }

    /// Returns the table that continues a table of the stage before.
    private mutating func owner(of origin: Int) -> Int? {
        let tables = stages[index].tables
        let heirs = tables.filter { $0.origin == origin }
        let others = heirs.filter { $0.number != origin }
        guard let original = heirs.first(where: { $0.number == origin }) else {
            let name = stages[index - 1].tables.first { $0.number == origin }?.name.lowercased()
            func keptColumns(_ table: SQLReplay.Table) -> Int {
                table.columns.count { if case .column = $0.value { true } else { false } }
            }
            let best = heirs.max { (keptColumns($0), -$0.number) < (keptColumns($1), -$1.number) }
            return (heirs.first { $0.name.lowercased() == name } ?? best)?.number
        }
        guard others.count == 1, original.changes.isEmpty, others[0].changes.isEmpty, isLeft(origin) else {
            return origin
        }
        left.insert(origin)
        return others[0].number
    }

    /// Returns whether a later file drops the table, and no statement before that reads or changes its rows.
    private func isLeft(_ number: Int) -> Bool {
        for stage in stages[(index + 1)...] {
            if stage.touched.contains(number) { return false }
            if !stage.tables.contains(where: { $0.number == number }) { return true }
        }
        return false
    }

    /// Gives the columns of a table the identities of those before, and the values that existing rows get.
    private func take(
        _ table: SQLReplay.Table, _ new: inout [Int: String], _ schema: inout SourceSchema
    ) {
        func name(_ number: Int) -> String? {
            for table in stages[index - 1].tables {
                if let column = table.columns.first(where: { $0.number == number }) { return column.name }
            }
            return nil
        }
        /// The column that continues a column: the one that has its name, or else the first one.
        func heir(of number: Int) -> Int? {
            let heirs = table.columns.filter { column in
                switch column.value {
                case .column(number), .coalesce(number, _): true
                default: false
                }
            }
            let old = name(number)?.lowercased()
            return (heirs.first { $0.name.lowercased() == old } ?? heirs.first)?.number
        }
        for column in table.columns {
            let key = SourceSchema.ColumnName(table.name, column.name)
            new[column.number] = "#\(column.number).\(index)"
            switch column.value {
            case .column(let number) where heir(of: number) == column.number: new[column.number] = tokens[number]
            case .column(let number):
                if let name = name(number) { schema.fills[key] = .column(name) }
            case .coalesce(let number, let sql):
                if heir(of: number) == column.number { new[column.number] = tokens[number] }
                schema.fills[key] = .constant(sql)
            case .constant(let sql) where sql.uppercased() != "NULL": schema.fills[key] = .constant(sql)
            case .constant, .initial, .unknown: break
            }
        }
    }
}
