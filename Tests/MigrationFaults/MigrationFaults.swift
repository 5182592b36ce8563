import Foundation

@testable import SQLSchema
@testable import Strata
@testable import StrataTesting

/// Faults of migrations that the generated tests of a schema must find.
///
/// Each fault changes a migrated database, in all tables and columns in which it can. The comparison with the database before
/// the step must report each of these tables and columns.
package struct MigrationFaults {
    private let step: StepExpectation
    private let newest: FixtureVersion
    /// The databases before and after the step.
    private let before: URL
    private let after: URL

    /// Returns the faults that the tests of a schema do not find, and the faults that change no value in any migration.
    package static func run(on fixtures: Fixtures) throws -> (missed: [String], withoutEffect: [String]) {
        var missed: [String] = []
        var effective: Set<String> = []
        let random = RandomRows.fromEnvironment(count: 0)
        for version in fixtures.versions.dropLast() {
            guard let step = try fixtures.paths(from: version).first?.first else { continue }
            try fixtures.withFolder { folder in
                let before = folder.appendingPathComponent("before.sqlite")
                let after = folder.appendingPathComponent("after.sqlite")
                try fixtures.createComplete(version, at: before, before: step, random)
                try FileManager.default.copyItem(at: before, to: after)
                let known = try SchemaDefinition(fixtures.schema).upTo(step.to)
                _ = try Store(at: after, definition: known)
                let faults = MigrationFaults(
                    step: step, newest: try fixtures.version(step.to), before: before, after: after)
                for fault in ValueFault.all {
                    // The values of a row with another primary key would not be compared.
                    for inKeys in [false, true] {
                        missed += try faults.missed(fault.name, &effective) {
                            try faults.change($0, fault, inKeys: inKeys)
                        }
                    }
                }
                for fault in RowFault.all {
                    missed += try faults.missed(fault.name, &effective) { try faults.change($0, fault) }
                }
            }
        }
        let all = ValueFault.all.map(\.name) + RowFault.all.map(\.name)
        return (
            missed.map { "\($0) (repeat with STRATA_SEED=\(random.seed))" }, all.filter { !effective.contains($0) }
        )
    }

    /// Returns the places of a fault that the comparison does not report.
    ///
    /// - Parameters:
    ///   - fault: The name of the fault.
    ///   - effective: The names of the faults that have changed something.
    ///   - change: Changes a migrated database. Returns the places: `entity` or `entity.property`.
    private func missed(
        _ fault: String, _ effective: inout Set<String>, _ change: (Connection) throws -> Set<String>
    ) throws -> [String] {
        let changed = after.appendingPathExtension("changed")
        try? FileManager.default.removeItem(at: changed)
        try FileManager.default.copyItem(at: after, to: changed)
        let connection = try Connection(path: changed.path, mode: .readWrite)
        try connection.execute("PRAGMA synchronous = OFF")
        let places = try change(connection)
        if places.isEmpty { return [] }
        effective.insert(fault)
        let problems = try StepComparison(step, from: before, to: changed, newest).run().map(\.text)
        return places.filter { place in !problems.contains { $0.hasPrefix("\(place): ") } }.sorted().map {
            "\(step.from) to \(step.to): \(fault): \($0)"
        }
    }

    // MARK: Changes

    private func change(_ connection: Connection, _ fault: ValueFault, inKeys: Bool) throws -> Set<String> {
        let names = DescribedNames(newest)
        var places: Set<String> = []
        for table in newest.tables {
            for column in table.columns {
                let name = column.names[0]
                let isKey = table.key.contains(name)
                switch column.role {
                case .value, .key(.string):
                    guard isKey == inKeys, table.key.count == 1 || !isKey else { continue }
                case .key, .reference, .position: continue
                }
                if try change(connection, table, name, fault) > 0 {
                    places.insert(isKey ? table.entity : names.property(name, of: table.name))
                }
            }
        }
        return places
    }

    /// Changes the values of a column. A value that a constraint does not allow stays.
    ///
    /// - Returns: The number of changed values.
    private func change(
        _ connection: Connection, _ table: FixtureTable, _ column: String, _ fault: ValueFault
    ) throws -> Int {
        let (name, quoted) = (SQL.quoted(table.name), SQL.quoted(column))
        guard let id = SQLite.rowID(besides: table.columns.flatMap(\.names)) else { return 0 }
        var changes: [(row: Int, value: SQLiteValue)] = []
        var count = 0
        try connection.query("SELECT \(id), \(quoted) FROM \(name) ORDER BY \(id)") { row in
            let (old, new) = (row.value(1), fault.change(row.value(1), count))
            if StoredValue(value: old) != StoredValue(value: new) { changes.append((try row.int(0), new)) }
            count += 1
        }
        let update = try connection.prepare("UPDATE OR IGNORE \(name) SET \(quoted) = ?2 WHERE \(id) = ?1")
        var changed = 0
        try connection.transaction("BEGIN") {
            for change in changes {
                try update.bind(change.row, at: 1)
                try change.value.bind(to: update, at: 2)
                try update.run()
                changed += try connection.integer("SELECT changes()") ?? 0
            }
        }
        return changed
    }

    private func change(_ connection: Connection, _ fault: RowFault) throws -> Set<String> {
        let names = DescribedNames(newest)
        var places: Set<String> = []
        func run(_ table: String, _ column: String, _ place: String) throws {
            guard let id = SQLite.rowID(besides: newest.columns(of: table).all) else { return }
            let sql = fault.sql.replacing("%t", with: SQL.quoted(table)).replacing("%c", with: SQL.quoted(column))
                .replacing("%r", with: id)
            let before = try connection.integer("SELECT total_changes()") ?? 0
            try connection.execute(sql)
            if try connection.integer("SELECT total_changes()") ?? 0 > before { places.insert(place) }
        }
        for table in newest.tables {
            switch fault.columns {
            case .none: try run(table.name, "", table.entity)
            case .integerKey:
                guard let column = table.keyColumns.first, table.key.count == 1 else { continue }
                switch column.role {
                case .key(.int), .value(.int): try run(table.name, column.names[0], table.entity)
                default: continue
                }
            case .reference, .position:
                for column in table.columns where !table.key.contains(column.names[0]) && column.names.count == 1 {
                    let place = names.property(column.names[0], of: table.name)
                    switch (column.role, fault.columns) {
                    case (.reference, .reference), (.position, .position):
                        try run(table.name, column.names[0], place)
                    default: continue
                    }
                }
            }
        }
        for join in newest.joinTables {
            switch fault.columns {
            case .none: try run(join.name, "", join.property)
            case .position: try run(join.name, Table.position, join.property)
            case .integerKey, .reference: continue
            }
        }
        return places
    }
}
