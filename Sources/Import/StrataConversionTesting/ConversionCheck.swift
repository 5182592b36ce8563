import Foundation
import SQLSchema
import StoreConversion
import Strata
import StrataTesting

extension Fixtures {
    /// Converts the rows of a version's fixture and checks the results.
    ///
    /// The first conversion uses the rows as they are. Each of the others tests a policy in `invalid_rows` of
    /// `strata.json`: it makes one value of one row invalid.
    ///
    /// The source tables have the names and values of the store's tables. This check does not test how the tables of
    /// another library are read. To test that, convert a database that its app wrote.
    ///
    /// - Returns: The failures; empty if there are none.
    public func checkConversion(of version: FixtureVersion) throws -> [Failure] {
        let failures = try prepare(version)
        guard failures.isEmpty, let versionIndex = versions.firstIndex(where: { $0.name == version.name }) else {
            return failures
        }
        let old = try database(of: version.name)
        return try withExtendedLifetime(old) {
            let check = ConversionCheck(fixtures: self, version: version, versionIndex: versionIndex, database: old.url)
            return try check.run().map { Failure("conversion of \(schema.name) \(version.name): \($0)") }
        }
    }
}

/// A check of the conversion of databases with the rows of one version's fixture.
private struct ConversionCheck {
    let fixtures: Fixtures
    let version: FixtureVersion
    /// The position of the version in the history.
    let versionIndex: Int
    let database: URL

    func run() throws -> [String] {
        var problems: [String] = []
        try convert { _ in
        } then: { report, store in
            for invalidRow in report.invalidRows { problems.append("a row of the fixture does not fit: \(invalidRow)") }
            for table in tables { problems += try differences(of: table, from: store, except: []) }
        }
        guard problems.isEmpty else { return problems }
        for invalidRows in fixtures.schema.imported?.invalidRows ?? [] where invalidRows.versions.contains(versionIndex)
        {
            guard let table = version.tables.first(where: { $0.name == invalidRows.table }) else { continue }
            if case .fill(let values) = invalidRows.policy {
                for column in values.keys.sorted() { problems += try check(table, column, invalidRows.policy) }
            } else if let column = try breakable(table) {
                problems += try check(table, column, invalidRows.policy)
            }
        }
        return problems
    }

    private var tables: [(name: String, columns: [String])] {
        version.tables.map { ($0.name, $0.columns.flatMap(\.names)) }
            + version.joinTables.map { ($0.name, $0.allColumns) }
    }

    // MARK: A row that does not fit

    /// Returns the column of a table in which the check can put an invalid value.
    ///
    /// The column is not part of the primary key. The first required column is preferred.
    ///
    /// - Returns: The name of the column; nil if every column is part of the primary key.
    private func breakable(_ table: FixtureTable) throws -> String? {
        let columns = table.columns.flatMap(\.names).filter { !table.key.contains($0) }
        return try columns.first { try requiredColumns(table.name).contains($0) } ?? columns.first
    }

    private func requiredColumns(_ table: String) throws -> Set<String> {
        let connection = try Connection(path: database.path, mode: .readOnly)
        return Set(
            try connection.texts("SELECT name FROM pragma_table_info(\(SQL.literal(table))) WHERE \"notnull\""))
    }

    /// Checks the treatment of a row of `table` with an invalid value in `column`.
    ///
    /// - Returns: The problems; empty if there are none.
    private func check(
        _ table: FixtureTable, _ column: String, _ policy: ImportedInvalidRows.Policy
    ) throws -> [String] {
        let name = SQL.quoted(table.name)
        let isRequired = try requiredColumns(table.name).contains(column)
        // NULL is invalid in a required column. In any other column, the STRICT table rejects a value of another type.
        let value = isRequired ? "NULL" : "CASE typeof(\(SQL.quoted(column))) WHEN 'blob' THEN 'x' ELSE X'00' END"
        let key = SQL.list(table.key)
        var problems: [String] = []
        func fail(_ text: String) { problems.append("\(table.entity) with an invalid \(column): \(text)") }
        var victim: [SQLiteValue] = []
        try convert { source in
            // The sample rows with unusual values come first, so the last row usually has an ordinary primary key.
            let columns = try source.texts("SELECT name FROM pragma_table_xinfo(\(SQL.literal(table.name)))")
            let number = SQLite.rowID(besides: columns) ?? "rowid"
            let row = "\(number) = (SELECT max(\(number)) FROM \(name))"
            try source.query("SELECT \(key) FROM \(name) WHERE \(row)") { victim = $0.values }
            try source.execute("UPDATE \(name) SET \(SQL.quoted(column)) = \(value) WHERE \(row)")
        } then: { report, store in
            let text = victim.map(\.keyText).joined(separator: ", ")
            let own = report.invalidRows.filter { $0.table == table.name && $0.key == text }
            let expectedRows: ConversionReport.Outcome =
                switch policy {
                case .setAside: .setAside
                case .drop: .dropped
                case .refuse: .refused
                case .fill: .filled
                }
            guard own.contains(where: { $0.outcome == expectedRows }) else {
                fail("the row is \(own.first.map { "\($0.outcome): \($0.reason)" } ?? "not reported")")
                return
            }
            guard let store else { return }
            let lost = report.invalidRows.filter { $0.table == table.name && $0.outcome != .filled }.count
            let count = try store.integer("SELECT count(*) FROM source.\(name)") ?? 0
            if try store.integer("SELECT count(*) FROM main.\(name)") != count - lost {
                fail("the numbers of converted rows (\(count)) and of other rows (\(lost)) do not add up")
            }
            if case .fill(let values) = policy, let fill = values[column] {
                let row = table.key.enumerated().map { "\(SQL.quoted($1)) IS ?\($0 + 1)" }.joined(separator: " AND ")
                let filled = try store.prepare("SELECT \(SQL.quoted(column)) IS \(fill) FROM main.\(name) WHERE \(row)")
                for (index, value) in victim.enumerated() { try value.bind(to: filled, at: index + 1) }
                if try !filled.step() || filled.row.value(0) != .integer(1) {
                    fail("it does not have the fill value \(fill)")
                }
            }
            // `cleared` counts the dangling foreign keys that became NULL. The tables with such keys differ from the
            // source.
            for other in tables where report.cleared[other.name] == nil {
                let isOwn = other.name == table.name
                problems += try differences(of: other, from: store, except: isOwn ? [column] : [])
            }
        }
        return problems
    }

    // MARK: Converting

    /// Converts a database with the fixture's rows.
    ///
    /// - Parameters:
    ///   - change: Changes the source database before the conversion.
    ///   - then: Receives the report and the store. The source database is attached to the store as `source`. The store
    ///     is nil if the conversion was refused.
    private func convert(
        _ change: (Connection) throws -> Void, then: (ConversionReport, Connection?) throws -> Void
    ) throws {
        guard let format = fixtures.schema.imported else { return }
        try fixtures.withFolder { folder in
            let source = folder.appendingPathComponent("source.sqlite")
            let destination = folder.appendingPathComponent("store.sqlite")
            do {
                let connection = try Connection(path: source.path, mode: .create)
                try attach(database, as: "fixture", to: connection)
                // These tables have no constraints, so they accept invalid values.
                for table in tables {
                    let name = SQL.quoted(table.name)
                    try connection.execute("CREATE TABLE main.\(name) AS SELECT * FROM fixture.\(name) ORDER BY rowid")
                }
                try change(connection)
            }
            var plain = ImportedFormat(.sqlite, formerNames: format.formerNames)
            plain.invalidRows = format.invalidRows
            var options = ConversionOptions()
            options.version = version.name
            do {
                let report = try Store.convert(
                    source, of: plain, to: destination, definition: SchemaDefinition(fixtures.schema),
                    conversion: options)
                let store = try Connection(path: destination.path, mode: .readOnly)
                try attach(source, as: "source", to: store)
                try then(report, store)
            } catch ConversionError.invalidRows(let report) {
                try then(report, nil)
            }
        }
    }

    private func attach(_ url: URL, as name: String, to connection: Connection) throws {
        let attach = try connection.prepare("ATTACH DATABASE ?1 AS \(name)")
        try attach.bind(url.path, at: 1)
        try attach.run()
    }

    /// Returns a message if a table of the store has a row that the source does not have.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - store: The store; nil if the conversion was refused.
    ///   - except: The columns that are not compared.
    private func differences(
        of table: (name: String, columns: [String]), from store: Connection?, except: Set<String>
    ) throws -> [String] {
        guard let store else { return ["the database is refused"] }
        let columns = table.columns.filter { !except.contains($0) }
        let list = columns.map { SQL.quoted($0) + " COLLATE BINARY" }.joined(separator: ", ")
        let name = SQL.quoted(table.name)
        let statement = try store.prepare(
            "SELECT \(list) FROM main.\(name) EXCEPT SELECT \(list) FROM source.\(name) LIMIT 1")
        guard try statement.step() else { return [] }
        let row = statement.row.values.map(\.description).joined(separator: ", ")
        return ["only the store has the row (\(row)) of \(table.name)"]
    }
}
