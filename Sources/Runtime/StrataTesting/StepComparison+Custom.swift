import SQLSchema
import Strata

/// The expected results that you write for a custom migration.
extension StepComparison {
    func askExpectations() throws -> [String] {
        guard let custom = step.custom else { return [] }
        var problems: [String] = []
        for (number, expectation) in custom.rows.enumerated() {
            let table = step.tables.firstIndex { !$0.isJoin && !$0.isCopy && $0.from == expectation.old.name }
            let index = table ?? step.tables.count + number
            let outcomes = try makeKeyOutcomes(
                index, from: (expectation.old.name, expectation.old.key),
                to: (expectation.new.name, expectation.new.key))
            indexes[expectation.old.name] = index
            let expectedRows = "temp.strata_rows_\(number)"
            let columns = expectation.new.columns.map(SQL.quoted) + outcomes.old
            try connection.execute("CREATE TABLE \(expectedRows) (\(columns.joined(separator: ", ")))")
            do {
                problems += try expectation.ask(
                    self,
                    RowExpectation.RecordTables(
                        outcomes: outcomes, expectedRows: expectedRows, reportsMissing: table == nil))
            } catch is UnwrittenExpectation {
                unwritten.append(expectation.stub)
                unknown.insert(expectation.old.name)
            }
        }
        do {
            for row in try custom.added(databases) { try add(row) }
        } catch let error where !(error is UnwrittenExpectation) {
            problems.append("\(custom.name).added threw: \(error)")
        }
        for removal in custom.removals {
            do {
                try removal.check(databases)
            } catch is UnwrittenExpectation {
                unwritten.append(removal.stub)
            } catch {
                problems.append("\(custom.name).\(removal.name) threw: \(error)")
            }
        }
        do {
            try custom.check(databases)
        } catch is UnwrittenExpectation {
            if !custom.reasons.isEmpty {
                let reasons = custom.reasons.map { "    // \($0)\n" }.joined()
                // The test fails until you write the body.
                unwritten.append(
                    "static func check(_ rows: StepRows) throws {\n\(reasons)    throw UnwrittenExpectation()\n}")
            }
        } catch {
            problems.append("\(custom.name).check threw: \(error)")
        }
        return problems
    }

    /// Records the expected result of each row of an entity.
    func ask<Old: StoredEntity, New: StoredEntity>(
        _ expected: (Old, StepDatabases) throws -> Expected<New>, _ tables: RowExpectation.RecordTables
    ) throws -> [String] {
        let outcomes = tables.outcomes
        let (oldCount, newCount) = (outcomes.old.count, outcomes.new.count)
        let insert = try connection.prepare(
            "INSERT INTO \(outcomes.name) VALUES (\(SQL.parameters(oldCount + newCount + 1)))")
        let columns = New.table.columns.count
        let row = try connection.prepare(
            "INSERT INTO \(tables.expectedRows) VALUES (\(SQL.parameters(columns + oldCount)))")
        var problems: [String] = []
        let cursor = try databases.old.cursor(Old.self)
        while let old = try cursor.next() {
            let id = Old.id(of: old)
            func record(_ kind: KeyOutcomes.Kind, _ new: New.ID?) throws {
                try insert.bind(id, at: 1)
                try insert.bind(new, at: 1 + oldCount)
                try insert.bind(kind.rawValue, at: 1 + oldCount + newCount)
                try insert.run()
            }
            let expectation: Expected<New>
            do {
                expectation = try expected(old, databases)
            } catch let error where !(error is UnwrittenExpectation) {
                problems.append("expected(_:_:) threw for \(old): \(error)")
                unknown.insert(Old.table.name)
                break
            }
            switch expectation.outcome {
            case .row(let new):
                try record(.kept, New.id(of: new))
                try new.bind(to: row)
                try row.bind(id, at: 1 + columns)
                try row.run()
            case .key(let newID, let check):
                try record(.kept, newID)
                pendingChecks.append { [unowned self] in
                    let key = "SELECT \(outcomes.new.joined(separator: ", ")) FROM \(outcomes.name)"
                    let condition = outcomes.old.enumerated().map { "\($1) = ?\($0 + 1)" }.joined(separator: " AND ")
                    let isKept = "strata_kind = \(KeyOutcomes.Kind.kept.rawValue)"
                    let statement = try connection.prepare("\(key) WHERE \(condition) AND \(isKept)")
                    try statement.bind(id, at: 1)
                    guard try statement.step() else { return nil }
                    let newID = try New.ID(row: statement.row, at: 0)
                    guard let new = try databases.new.find(New.self, id: newID) else {
                        return tables.reportsMissing ? "\(old) should become row \(newID), which is missing" : nil
                    }
                    return try check(new) ? nil : "\(old) became \(new), which the check of .kept(as:) rejects"
                }
            case .dropped: try record(.dropped, nil)
            case .merged(let target):
                try record(.merged, target)
                if try databases.new.find(New.self, id: target) == nil {
                    problems.append("\(old) should be merged into row \(target), which is missing")
                }
            }
        }
        return problems
    }

    /// Records a row that is expected to be added.
    func add<New: StoredEntity>(_ row: New) throws {
        let name = added[New.table.name] ?? "temp.strata_added_\(added.count)"
        if added[New.table.name] == nil {
            try connection.execute("CREATE TABLE \(name) (\(SQL.list(New.table.columns)))")
            added[New.table.name] = name
        }
        let insert = try connection.prepare("INSERT INTO \(name) VALUES (\(SQL.parameters(New.table.columns.count)))")
        try row.bind(to: insert)
        try insert.run()
    }
}
