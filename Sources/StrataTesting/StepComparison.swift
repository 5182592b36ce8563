import Foundation
import SchemaSQL
import Strata

/// What is to have become of the keys of a table's rows: a table in the temporary database, with a row for each.
struct Fates {
    /// What is to become of a row.
    enum Kind: Int {
        case kept, gone, merged
    }

    let name: String
    let old: [String]
    let new: [String]

    init(_ number: Int, old: Int, new: Int) {
        name = "temp.strata_fates_\(number)"
        self.old = (0..<old).map { "strata_o\($0)" }
        self.new = (0..<new).map { "strata_n\($0)" }
    }
}

/// Compares a database after one step with the one before it: each old row with what it was to become, and each new row
/// with where it has come from.
///
/// What is expected is put together by SQL of its own, over the old database beside the new one.
final class StepComparison {
    private let connection: Connection
    private let step: StepExpectation
    private let version: FixtureVersion
    private let rows: StepRows
    private let names: Names
    /// By the place of the expectation: those of the tables of entities and join tables, and those of rows beside them.
    private var fates: [Int: Fates] = [:]
    /// By the old table of an entity: the place of its fates.
    private var places: [String: Int] = [:]
    /// The old tables of which nobody has said what becomes of their rows.
    private var unknown: Set<String> = []
    /// By the new table: the rows that were to be added to it.
    private var added: [String: String] = [:]
    /// Looks at the rows of which a person has said but the key, once all keys are what they are to be.
    private var looks: [() throws -> String?] = []
    /// The functions that are still to be written.
    private(set) var unwritten: [String] = []

    /// The step that took the database `before` to `after`, where it became one of `version`.
    init(_ step: StepExpectation, from before: URL, to after: URL, _ version: FixtureVersion) throws {
        connection = try Connection(path: after.path, mode: .readWrite)
        rows = StepRows(
            old: try Connection(path: before.path, mode: .readOnly),
            new: try Connection(path: after.path, mode: .readOnly))
        self.step = step
        self.version = version
        names = Names(version)
        let attach = try connection.prepare("ATTACH DATABASE ?1 AS original")
        try attach.bind(before.path, at: 1)
        try attach.run()
    }

    /// What is otherwise than it should be.
    func run() throws -> [String] {
        var problems = try askPerson()
        try followKeys()
        problems += try sharedKeys()
        problems += try looks.compactMap { try $0() }
        for (place, table) in step.tables.enumerated() where !isUnknown(table) {
            problems += try compare(table, place)
        }
        for (number, rows) in (step.custom?.rows ?? []).enumerated() where !unknown.contains(rows.old.name) {
            problems += try compare(rows, number)
        }
        for table in version.tables { problems += try compareSources(of: table) }
        for join in version.joinTables { problems += try compareSources(of: join) }
        // What a person says and what can be inferred may be the same.
        var told: Set<String> = []
        return problems.filter { told.insert($0).inserted }
    }

    // MARK: What a person expects

    private func askPerson() throws -> [String] {
        guard let custom = step.custom else { return [] }
        var problems: [String] = []
        for (number, expectation) in custom.rows.enumerated() {
            let table = step.tables.firstIndex { !$0.isJoin && $0.from == expectation.old.name }
            let place = table ?? step.tables.count + number
            let fates = try makeFates(
                place, from: (expectation.old.name, expectation.old.key),
                to: (expectation.new.name, expectation.new.key))
            places[expectation.old.name] = place
            let wanted = "temp.strata_rows_\(number)"
            let columns = expectation.new.columns.map(SQL.quoted) + fates.old
            try connection.execute("CREATE TABLE \(wanted) (\(columns.joined(separator: ", ")))")
            do {
                problems += try expectation.ask(
                    self, RowExpectation.Place(fates: fates, wanted: wanted, tellsMissing: table == nil))
            } catch is UnwrittenExpectation {
                unwritten.append(expectation.stub)
                unknown.insert(expectation.old.name)
            }
        }
        for (number, addition) in custom.additions.enumerated() {
            let name = "temp.strata_added_\(number)"
            try connection.execute("CREATE TABLE \(name) (\(SQL.list(addition.table.columns)))")
            do {
                try addition.ask(self, name)
            } catch let error where !(error is UnwrittenExpectation) {
                problems.append("\(custom.name).added for \(names.entity(addition.table.name)) threw: \(error)")
            }
            added[addition.table.name] = name
        }
        do {
            try custom.check(rows)
        } catch is UnwrittenExpectation {
            if !custom.reasons.isEmpty {
                let reasons = custom.reasons.map { "    // \($0)\n" }.joined()
                unwritten.append("static func check(_ rows: StepRows) throws {\n\(reasons)}")
            }
        } catch {
            problems.append("\(custom.name).check threw: \(error)")
        }
        return problems
    }

    /// Writes down what is to become of each row of an entity.
    func ask<Old: StoredEntity, New: StoredEntity>(
        _ expected: (Old, StepRows) throws -> Expected<New>, _ place: RowExpectation.Place
    ) throws -> [String] {
        let fates = place.fates
        let (oldCount, newCount) = (fates.old.count, fates.new.count)
        let fate = try connection.prepare(
            "INSERT INTO \(fates.name) VALUES (\(Self.parameters(oldCount + newCount + 1)))")
        let columns = New.table.columns.count
        let row = try connection.prepare("INSERT INTO \(place.wanted) VALUES (\(Self.parameters(columns + oldCount)))")
        var problems: [String] = []
        let cursor = try rows.old.cursor(Old.self)
        while let old = try cursor.next() {
            let id = Old.id(of: old)
            func record(_ kind: Fates.Kind, _ new: New.ID?) throws {
                try fate.bind(id, at: 1)
                try fate.bind(new, at: 1 + oldCount)
                try fate.bind(kind.rawValue, at: 1 + oldCount + newCount)
                try fate.run()
            }
            let outcome: Expected<New>
            do {
                outcome = try expected(old, rows)
            } catch let error where !(error is UnwrittenExpectation) {
                problems.append("what is expected of \(old) threw: \(error)")
                unknown.insert(Old.table.name)
                break
            }
            switch outcome.fate {
            case .row(let new):
                try record(.kept, New.id(of: new))
                try new.bind(to: row)
                try row.bind(id, at: 1 + columns)
                try row.run()
            case .key(let newID, let check):
                try record(.kept, newID)
                looks.append { [unowned self] in
                    let key = "SELECT \(fates.new.joined(separator: ", ")) FROM \(fates.name)"
                    let condition = fates.old.enumerated().map { "\($1) = ?\($0 + 1)" }.joined(separator: " AND ")
                    let isKept = "strata_kind = \(Fates.Kind.kept.rawValue)"
                    let statement = try connection.prepare("\(key) WHERE \(condition) AND \(isKept)")
                    try statement.bind(id, at: 1)
                    guard try statement.step() else { return nil }
                    let newID = try New.ID(row: statement.row, at: 0)
                    guard let new = try rows.new.find(New.self, id: newID) else {
                        return place.tellsMissing ? "\(old) is to become the row \(newID), which is not there" : nil
                    }
                    return try check(new) ? nil : "\(old) is not to become \(new)"
                }
            case .dropped: try record(.gone, nil)
            case .merged(let target):
                try record(.merged, target)
                if try rows.new.find(New.self, id: target) == nil {
                    problems.append("\(old) is to be merged into the row \(target), which is not there")
                }
            }
        }
        return problems
    }

    /// Writes down the rows that are to be there and come from none.
    func add<New: StoredEntity>(_ added: (StepRows) throws -> [New], to name: String) throws {
        let new = try added(rows)
        let insert = try connection.prepare("INSERT INTO \(name) VALUES (\(Self.parameters(New.table.columns.count)))")
        for row in new {
            try row.bind(to: insert)
            try insert.run()
        }
    }

    // MARK: Where keys lead

    private func makeFates(
        _ place: Int, from old: (table: String, key: [String]), to new: (table: String, key: [String])
    ) throws -> Fates {
        let fates = Fates(place, old: old.key.count, new: new.key.count)
        let collations = try KeyMap.collations(of: old.key, in: old.table, rows.oldConnection)
        // With their types, or no index would serve those who look for a number.
        let oldTypes = try types(of: old.key, in: "original", old.table)
        let key = zip(zip(fates.old, oldTypes), collations).map { "\($0.0) \($0.1)\($1)" }
        let newTypes = try types(of: new.key, in: "main", new.table)
        let columns = key + zip(fates.new, newTypes).map { "\($0) \($1)" } + ["strata_kind INTEGER"]
        let primaryKey = "PRIMARY KEY (\(fates.old.joined(separator: ", ")))"
        try connection.execute("CREATE TABLE \(fates.name) (\((columns + [primaryKey]).joined(separator: ", ")))")
        let table = fates.name.dropFirst("temp.".count)
        try connection.execute("CREATE INDEX \(fates.name)_new ON \(table) (\(fates.new.joined(separator: ", ")))")
        self.fates[place] = fates
        return fates
    }

    private func types(of columns: [String], in database: String, _ table: String) throws -> [String] {
        var types: [String: String] = [:]
        let list = "pragma_table_info(\(SQL.literal(table)), \(SQL.literal(database)))"
        try connection.query("SELECT name, type FROM \(list)") { types[try $0.string(0)] = try $0.string(1) }
        return columns.map { types[$0] ?? "" }
    }

    /// Whether nobody can say what becomes of a table's rows.
    private func isUnknown(_ table: TableExpectation) -> Bool {
        !table.isJoin && unknown.contains(table.from)
            || table.references.contains { unknown.contains($0.target) && ($0.cascades || isInKey($0, of: table)) }
    }

    private func isInKey(_ reference: ReferenceExpectation, of table: TableExpectation) -> Bool {
        reference.columns.allSatisfy(table.key.contains)
    }

    /// Writes down what becomes of the rows that point at others which may have other keys, or none.
    private func followKeys() throws {
        while let next = step.tables.first(where: { !$0.isJoin && isUnknown($0) && !unknown.contains($0.from) }) {
            unknown.insert(next.from)
        }
        var pending = step.tables.indices.filter { place in
            let table = step.tables[place]
            return !table.isEmptied && !isUnknown(table) && (fates[place] != nil || !table.references.isEmpty)
        }
        let followed = pending
        while !pending.isEmpty {
            // A key follows those that it is made of.
            let next = pending.firstIndex { place in
                let keys = step.tables[place].references.filter { isInKey($0, of: step.tables[place]) }
                return !pending.contains { other in
                    other != place && !step.tables[other].isJoin
                        && keys.contains { $0.target == step.tables[other].from }
                }
            }
            let place = pending.remove(at: next ?? 0)
            if fates[place] != nil { try moveKeys(place) } else { try writeKeys(place) }
        }
        var isChanged = true
        while isChanged {
            isChanged = false
            for place in followed where try cascade(place) { isChanged = true }
        }
    }

    /// The fates of the rows that a foreign key pointed at; nil where they kept their keys.
    private func targets(of reference: ReferenceExpectation) -> Fates? {
        places[reference.target].flatMap { fates[$0] }
    }

    /// The values of a foreign key that had the values `old`, as SQL.
    private func followed(_ reference: ReferenceExpectation, _ old: [String]) -> [String] {
        guard let targets = targets(of: reference) else { return old }
        var isFound = Self.equal(targets.old.map { "target." + $0 }, old)
        if targets.old.count == targets.new.count {
            // Of a key that stays, another spelling that its collation finds equal stays too.
            let changes = zip(targets.old, targets.new).map { "target.\($0) IS NOT target.\($1)" }
            isFound += " AND (\(changes.joined(separator: " OR ")))"
        }
        let rows = "FROM \(targets.name) AS target WHERE \(isFound)"
        return targets.new.enumerated().map { place, column in
            let kept = "(SELECT iif(target.strata_kind = \(Fates.Kind.gone.rawValue), NULL, target.\(column)) \(rows))"
            return
                "CASE WHEN EXISTS (SELECT 1 \(rows)) THEN \(kept) ELSE \(place < old.count ? old[place] : "NULL") END"
        }
    }

    /// The values of the columns of `table`, as SQL over the old row `o`, where they are known.
    private func values(of table: TableExpectation) -> [String: String] {
        var values = table.values
        for reference in table.references {
            if unknown.contains(reference.target) {
                for column in reference.columns { values[column] = nil }
            } else if targets(of: reference) != nil {
                let old = reference.oldColumns.map { "o." + SQL.quoted($0) }
                // Of a row that code migrates, code may have given it.
                for (column, value) in zip(reference.columns, followed(reference, old)) where values[column] != nil {
                    values[column] = value
                }
            }
        }
        return values
    }

    private func original(_ table: TableExpectation) -> String { "original.\(SQL.quoted(table.from)) AS o" }

    /// Writes down the keys of rows that no code migrates.
    private func writeKeys(_ place: Int) throws {
        let table = step.tables[place]
        let fates = try makeFates(place, from: (table.from, table.oldKey), to: (table.to, table.key))
        if !table.isJoin { places[table.from] = place }
        let values = values(of: table)
        let key = table.key.map { values[$0] ?? "NULL" }
        let columns = table.oldKey.map { "o." + SQL.quoted($0) } + key + [String(Fates.Kind.kept.rawValue)]
        let condition = table.filter.map { " WHERE \($0)" } ?? ""
        try connection.execute(
            "INSERT INTO \(fates.name) SELECT \(columns.joined(separator: ", ")) FROM \(original(table))\(condition)")
        let isGone = fates.new.map { "\($0) IS NULL" }.joined(separator: " OR ")
        try connection.execute(
            "UPDATE \(fates.name) SET strata_kind = \(Fates.Kind.gone.rawValue) WHERE \(isGone)")
    }

    /// Lets the keys of rows that code migrates follow those that they are made of, where code has kept these.
    private func moveKeys(_ place: Int) throws {
        let table = step.tables[place]
        guard let fates = fates[place] else { return }
        for reference in table.references where isInKey(reference, of: table) && targets(of: reference) != nil {
            let own = reference.columns.compactMap { table.key.firstIndex(of: $0) }.map { "f." + fates.new[$0] }
            let old = reference.oldColumns.map { "o." + SQL.quoted($0) }
            guard own.count == old.count else { continue }
            let values = zip(own, followed(reference, own)).map { "\($0.dropFirst(2)) = \($1)" }
            try connection.execute(
                """
                UPDATE \(fates.name) AS f SET \(values.joined(separator: ", ")) \
                WHERE f.strata_kind = \(Fates.Kind.kept.rawValue) AND EXISTS (SELECT 1 FROM \(original(table)) \
                WHERE \(Self.equal(fates.old.map { "f." + $0 }, table.oldKey.map { "o." + SQL.quoted($0) })) \
                AND \(Self.equal(own, old)))
                """)
        }
    }

    /// Lets rows go with those that they do not outlive; gives whether there were any.
    private func cascade(_ place: Int) throws -> Bool {
        let table = step.tables[place]
        guard let fates = fates[place] else { return false }
        var isChanged = false
        for reference in table.references where reference.cascades {
            guard let targets = targets(of: reference) else { continue }
            let old = reference.oldColumns.map { "o." + SQL.quoted($0) }
            var condition = Self.equal(fates.old.map { "f." + $0 }, table.oldKey.map { "o." + SQL.quoted($0) })
            if let wanted = wanted(place) {
                // Unless code made it point at another.
                let isSame = Self.equal(reference.columns.map { "w." + SQL.quoted($0) }, old)
                let isRow = Self.equal(fates.old.map { "w." + $0 }, fates.old.map { "f." + $0 })
                condition += " AND NOT EXISTS (SELECT 1 FROM \(wanted) AS w WHERE \(isRow) AND NOT (\(isSame)))"
            }
            let values = fates.new.map { "\($0) = NULL" } + ["strata_kind = \(Fates.Kind.gone.rawValue)"]
            try connection.execute(
                """
                UPDATE \(fates.name) AS f SET \(values.joined(separator: ", ")) \
                WHERE f.strata_kind = \(Fates.Kind.kept.rawValue) AND EXISTS (SELECT 1 FROM \(original(table)) \
                JOIN \(targets.name) AS target ON \(Self.equal(targets.old.map { "target." + $0 }, old)) \
                WHERE target.strata_kind = \(Fates.Kind.gone.rawValue) AND \(condition))
                """)
            if try connection.integer("SELECT changes()") ?? 0 > 0 { isChanged = true }
        }
        return isChanged
    }

    /// The keys that several rows of an entity are to have, of which but one can stay.
    private func sharedKeys() throws -> [String] {
        try (step.custom?.rows ?? []).filter { !unknown.contains($0.old.name) }.flatMap { expectation -> [String] in
            guard let fates = places[expectation.old.name].flatMap({ fates[$0] }) else { return [] }
            let key = fates.new.joined(separator: ", ")
            let kept = "strata_kind = \(Fates.Kind.kept.rawValue)"
            return try values(
                "SELECT \(key), count(*) FROM \(fates.name) WHERE \(kept) GROUP BY \(key) HAVING count(*) > 1"
            )
            .map { row in
                let name = "\(names.entity(expectation.new.name)): the row \(Self.shown(row.dropLast()))"
                return
                    "\(name) is what \(row.last ?? .null) rows are expected to have become; all but one are merged into it"
            }
        }
    }

    /// The rows that a person wants of a table.
    private func wanted(_ place: Int) -> String? {
        step.custom?.rows.firstIndex { places[$0.old.name] == place }.map { "temp.strata_rows_\($0)" }
    }

    // MARK: Rows

    /// The rows that are to be in a table: the columns of the key as `strata_k0` and on, then `columns` as `strata_v0` and
    /// on. SQLite would not let a column of a query be called `true`.
    private func expected(_ table: TableExpectation, _ place: Int, _ columns: [String]) -> String? {
        if table.isEmptied { return nil }
        let values = values(of: table)
        let fates = self.fates[place]
        let key = fates.map { fates in fates.new.map { "f." + $0 } } ?? table.key.map { values[$0] ?? "NULL" }
        let list =
            key.enumerated().map { "\($1) AS strata_k\($0)" }
            + columns.enumerated().map { "\(values[$1] ?? "NULL") AS strata_v\($0)" }
        var sql = "SELECT \(list.joined(separator: ", ")) FROM \(original(table))"
        if let fates {
            let isOwn = Self.equal(fates.old.map { "f." + $0 }, table.oldKey.map { "o." + SQL.quoted($0) })
            sql += " JOIN \(fates.name) AS f ON \(isOwn) AND f.strata_kind = \(Fates.Kind.kept.rawValue)"
        }
        return sql + (table.filter.map { " WHERE \($0)" } ?? "")
    }

    private func compare(_ table: TableExpectation, _ place: Int) throws -> [String] {
        let columns = table.values.keys.sorted().filter { values(of: table)[$0] != nil && !table.key.contains($0) }
        guard let expected = expected(table, place, columns) else { return [] }
        if table.isJoin { return try compare(join: table, expected, columns) }
        return try compare(expected, with: table.to, key: table.key, columns: columns)
    }

    /// Compares the rows that a person wants with those that there are.
    private func compare(_ expectation: RowExpectation, _ number: Int) throws -> [String] {
        guard let place = places[expectation.old.name], let fates = fates[place] else { return [] }
        let table = step.tables.indices.contains(place) ? step.tables[place] : nil
        let columns = expectation.new.columns.filter { !expectation.new.key.contains($0) }
        var values = Dictionary(columns.map { ($0, "w." + SQL.quoted($0)) }, uniquingKeysWith: { first, _ in first })
        for reference in table?.references ?? [] {
            if unknown.contains(reference.target) {
                for column in reference.columns { values[column] = nil }
            } else if targets(of: reference) != nil {
                let own = reference.columns.map { "w." + SQL.quoted($0) }
                let isSame = Self.equal(own, reference.oldColumns.map { "o." + SQL.quoted($0) })
                for (column, value) in zip(reference.columns, followed(reference, own)) where values[column] != nil {
                    values[column] = "CASE WHEN \(isSame) THEN \(value) ELSE w.\(SQL.quoted(column)) END"
                }
            }
        }
        let known = columns.filter { values[$0] != nil }
        let list =
            fates.new.enumerated().map { "f.\($1) AS strata_k\($0)" }
            + known.enumerated().map { "\(values[$1] ?? "NULL") AS strata_v\($0)" }
        let isOwn = Self.equal(fates.old.map { "f." + $0 }, fates.old.map { "w." + $0 })
        let old = expectation.old.key.map { "o." + SQL.quoted($0) }
        let sql = """
            SELECT \(list.joined(separator: ", ")) FROM temp.strata_rows_\(number) AS w \
            JOIN \(fates.name) AS f ON \(isOwn) AND f.strata_kind = \(Fates.Kind.kept.rawValue) \
            JOIN original.\(SQL.quoted(expectation.old.name)) AS o ON \(Self.equal(fates.old.map { "f." + $0 }, old))
            """
        return try compare(
            sql, with: expectation.new.name, key: expectation.new.key, columns: known, tellsMissing: table == nil)
    }

    /// Compares the rows of a query with those of a new table that have the same key.
    ///
    /// - `tellsMissing`: whether to tell of rows that are not there.
    private func compare(
        _ expected: String, with table: String, key: [String], columns: [String], tellsMissing: Bool = true
    ) throws -> [String] {
        let keys = key.indices.map { "e.strata_k\($0)" }
        let (values, new) = (columns.indices.map { "e.strata_v\($0)" }, columns.map { "n." + SQL.quoted($0) })
        let pairs = zip(values, new).flatMap { [$0, $1] }
        let own = key.map { "n." + SQL.quoted($0) }
        let shown = keys + ["\(own[0]) IS NULL"] + pairs + own
        let statement = try connection.prepare(
            """
            SELECT \(shown.joined(separator: ", ")) FROM (\(expected)) AS e LEFT JOIN main.\(SQL.quoted(table)) AS n \
            ON \(Self.equal(own, keys)) WHERE \(own[0]) IS NULL OR \(differing(keys + values, own + new))
            """)
        var problems = FirstOf()
        while try statement.step() {
            let values = statement.row.values
            let id = Self.shown(values[..<key.count])
            if values[key.count] == .integer(1) {
                if tellsMissing { problems.add("", "\(names.entity(table)): the row \(id) is gone") }
                continue
            }
            for (place, column) in columns.enumerated() {
                let (was, now) = (values[key.count + 1 + 2 * place], values[key.count + 2 + 2 * place])
                if now.isSame(as: was) { continue }
                problems.add(
                    column, "\(names.property(column, of: table)): in the row \(id) it is \(now) instead of \(was)")
            }
            let now = values.suffix(key.count)
            // The key too is to be what it was to the last byte, and not only what its collation finds equal.
            for (place, column) in key.enumerated()
            where StoredValue(value: now[now.startIndex + place]) != StoredValue(value: values[place]) {
                problems.add(
                    column, "\(names.property(column, of: table)): the row \(id) has the key \(Self.shown(now))")
            }
        }
        return problems.texts
    }

    /// The condition that the values of `left` are not those of `right`, to the last byte.
    private func differing(_ left: [String], _ right: [String]) -> String {
        // SQLite takes no more than a thousand expressions inside each other.
        stride(from: 0, to: left.count, by: 100).map { start in
            let end = min(start + 100, left.count)
            let values = left[start..<end].map { $0 + " COLLATE BINARY" }.joined(separator: ", ")
            return "(\(values)) IS NOT (\(right[start..<end].joined(separator: ", ")))"
        }.joined(separator: " OR ")
    }

    /// Compares the rows of a join table with those that are to be in it: rows that have become the same are one.
    private func compare(join table: TableExpectation, _ expected: String, _ columns: [String]) throws -> [String] {
        let keys = table.key.indices.map { "strata_k\($0)" }
        let name = names.entity(table.to)
        var problems = FirstOf()
        for row in try values(
            "SELECT \(keys.joined(separator: ", ")) FROM (\(expected)) EXCEPT \(all(of: table.to, table.key))")
        {
            problems.add("", "\(name): the pair \(Self.shown(row)) is gone")
        }
        for (place, column) in columns.enumerated() {
            let found = all(of: table.to, table.key + [column])
            let value = "strata_v\(place)"
            let isPair = Self.equal(keys.map { "e." + $0 }, table.key.map { "n." + SQL.quoted($0) })
            let isSame = "SELECT 1 FROM (\(expected)) AS e WHERE \(isPair) AND e.\(value) IS n.\(SQL.quoted(column))"
            // Where pairs have gone or become one, their places may have moved up: what counts is their order.
            let sources = keys.prefix(keys.count - targetCount(of: table.to)).joined(separator: ", ")
            let rank = "rank() OVER (PARTITION BY \(sources) ORDER BY"
            let distinct =
                "SELECT \(keys.joined(separator: ", ")), min(\(value)) AS value FROM (\(expected)) GROUP BY \(keys.joined(separator: ", "))"
            let expectedRanks = "SELECT *, \(rank) value) AS rank FROM (\(distinct))"
            let newSources = table.key.prefix(keys.count - targetCount(of: table.to))
            let ranks =
                "SELECT *, rank() OVER (PARTITION BY \(SQL.list(Array(newSources))) ORDER BY \(SQL.quoted(column))) AS rank FROM (\(found))"
            let mayMove = table.references.isEmpty ? "" : " AND n.rank IS NOT e.rank"
            let shown = table.key.map { "n." + SQL.quoted($0) } + ["n." + SQL.quoted(column), "e.value"]
            let differing = """
                SELECT \(shown.joined(separator: ", ")) FROM (\(ranks)) AS n \
                JOIN (\(expectedRanks)) AS e ON \(isPair) WHERE NOT EXISTS (\(isSame))\(mayMove)
                """
            for row in try values(differing) {
                let pair = Self.shown(row.prefix(table.key.count))
                let (now, was) = (row[row.count - 2], row[row.count - 1])
                problems.add(column, "\(name): the \(column) of the pair \(pair) is \(now) instead of \(was)")
            }
        }
        return problems.texts
    }

    private func targetCount(of join: String) -> Int {
        version.joinTables.first { $0.name == join }?.targetCount ?? 1
    }

    private func all(of table: String, _ columns: [String]) -> String {
        "SELECT \(SQL.list(columns)) FROM main.\(SQL.quoted(table))"
    }

    // MARK: Where rows have come from

    /// The rows of an entity's table that come from no old row, compared with those that were to be added.
    private func compareSources(of table: FixtureTable) throws -> [String] {
        let tables = step.tables.enumerated().filter { !$1.isJoin && $1.to == table.name }
        let people = (step.custom?.rows ?? []).filter { $0.new.name == table.name }
        let isKnown = !tables.contains { isUnknown($1) } && !people.contains { unknown.contains($0.old.name) }
        guard isKnown else { return [] }
        var sql = all(of: table.name, table.key)
        for (place, expectation) in tables {
            guard let expected = expected(expectation, place, []) else { continue }
            sql += " EXCEPT " + expected
        }
        for expectation in people {
            guard let place = places[expectation.old.name], place >= step.tables.count, let fates = fates[place] else {
                continue
            }
            sql += " EXCEPT SELECT \(fates.new.joined(separator: ", ")) FROM \(fates.name)"
            sql += " WHERE strata_kind = \(Fates.Kind.kept.rawValue)"
        }
        var problems: [String] = []
        if let added = added[table.name] {
            let key = table.key.enumerated().map { "\(SQL.quoted($1)) AS strata_k\($0)" }
            let columns = table.columns.flatMap(\.names).filter { !table.key.contains($0) }
            let values = columns.enumerated().map { "\(SQL.quoted($1)) AS strata_v\($0)" }
            let wanted = "SELECT \((key + values).joined(separator: ", ")) FROM \(added)"
            problems += try compare(wanted, with: table.name, key: table.key, columns: columns).map {
                $0 + ", and it was to be added"
            }
            sql += " EXCEPT SELECT \(SQL.list(table.key)) FROM \(added)"
        }
        var strangers = FirstOf()
        for row in try values(sql) {
            let isDeclared = step.custom == nil ? "" : ", and nothing says that it was to be added"
            strangers.add(
                "", "\(names.entity(table.name)): the row \(Self.shown(row)) comes from no row of before\(isDeclared)")
        }
        if !strangers.texts.isEmpty, let added = added[table.name],
            try connection.integer("SELECT count(*) FROM \(added)") == 0
        {
            unwritten += (step.custom?.additions ?? []).filter { $0.table.name == table.name }.map(\.stub)
        }
        problems += strangers.texts
        return problems
    }

    /// The rows of a join table that come from no old row: only rows that were added may have such.
    private func compareSources(of join: FixtureJoinTable) throws -> [String] {
        let expectations = step.tables.enumerated().filter { $1.isJoin && $1.to == join.name }
        // Of a relationship that code fills, only code can say anything.
        if expectations.isEmpty, step.custom != nil { return [] }
        if expectations.contains(where: { isUnknown($1) }) { return [] }
        var sql = all(of: join.name, join.columns)
        let sources = join.columns.dropLast(join.targetCount)
        let ends = [(join.source, Array(sources)), (join.target, Array(join.columns.suffix(join.targetCount)))]
        let conditions = ends.compactMap { table, columns -> String? in
            guard let added = added[table], let key = version.tables.first(where: { $0.name == table })?.key else {
                return nil
            }
            return "(\(SQL.list(columns))) NOT IN (SELECT \(SQL.list(key)) FROM \(added))"
        }
        if !conditions.isEmpty { sql += " WHERE " + conditions.joined(separator: " AND ") }
        for (place, expectation) in expectations {
            guard let expected = expected(expectation, place, []) else { continue }
            sql += " EXCEPT " + expected
        }
        // Nor was a row there that has come from another entity.
        for (table, columns) in ends {
            for rows in step.custom?.rows ?? [] where rows.new.name == table {
                guard let place = places[rows.old.name], place >= step.tables.count, let fates = fates[place] else {
                    continue
                }
                let key = fates.new.joined(separator: ", ")
                sql =
                    "SELECT * FROM (\(sql)) WHERE (\(SQL.list(columns))) NOT IN (SELECT \(key) FROM \(fates.name) WHERE \(fates.new[0]) IS NOT NULL)"
            }
        }
        var problems = FirstOf()
        for row in try values(sql) {
            problems.add("", "\(names.entity(join.name)): the pair \(Self.shown(row)) was not there before")
        }
        return problems.texts
    }

    // MARK: SQL and words

    private func values(_ sql: String) throws -> [[SQLiteValue]] {
        var rows: [[SQLiteValue]] = []
        try connection.query(sql) { rows.append($0.values) }
        return rows
    }

    private static func equal(_ left: [String], _ right: [String]) -> String {
        zip(left, right).map { "\($0) = \($1)" }.joined(separator: " AND ")
    }

    private static func parameters(_ count: Int) -> String {
        (1...max(1, count)).map { "?\($0)" }.joined(separator: ", ")
    }

    private static func shown(_ values: some Sequence<SQLiteValue>) -> String {
        values.map(\.description).joined(separator: ", ")
    }
}
