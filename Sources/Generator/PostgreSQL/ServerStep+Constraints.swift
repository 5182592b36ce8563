import SQLSchema

extension ServerStep {
    /// The time at which a step adds a constraint. It is always validated later, without blocking writers.
    enum ConstraintTime {
        /// In the phase `expand`: old rows and old apps cannot violate it.
        case expand
        /// At the beginning of the phase `contract`.
        case contract
        /// At the end of the phase `contract`, when all tables and columns have their final names.
        case end
    }

    mutating func addConstraint(_ name: String, _ definition: String, on table: String, _ time: ConstraintTime) {
        let (alter, quoted) = ("ALTER TABLE \(PostgreSQL.quoted(table)) ", PostgreSQL.quoted(name))
        let statements = [alter + "DROP CONSTRAINT IF EXISTS \(quoted)", alter + "ADD \(definition) NOT VALID"]
        let validation = alter + "VALIDATE CONSTRAINT \(quoted)"
        switch time {
        case .expand:
            expand += statements
            checks.append(validation)
        case .contract:
            tightened += statements
            tightenedChecks.append(validation)
        case .end:
            lateCreations += statements
            lateValidations.append(validation)
        }
    }

    // MARK: Checks

    mutating func addChecks(_ change: TableTransition, _ alter: String) throws(ServerExpression.Unsupported) {
        let (old, new) = (change.old, change.new)
        let table = present(change)
        func isKept(_ check: Table.Check) -> Bool { check.condition.columns.allSatisfy(change.isKept) }
        // The names of checks of enums contain the names of the table and the column.
        func isNamed(_ before: Table.Check, like check: Table.Check) -> Bool {
            guard before.name.hasPrefix(old.name + "_"), check.name.hasPrefix(new.name + "_") else { return false }
            return before.name.dropFirst(old.name.count) == check.name.dropFirst(new.name.count)
        }
        var remaining = old.table.checks
        for check in new.table.checks {
            let place =
                remaining.firstIndex { $0.name == check.name } ?? remaining.firstIndex { isNamed($0, like: check) }
            let before = place.map { remaining.remove(at: $0) }
            let isSame =
                before?.condition == check.condition && isKept(check)
                && check.condition.columns.allSatisfy { old.type(of: $0) == new.type(of: $0) }
            if let before, isSame {
                renameConstraint(before.name, check.name, of: new)
                continue
            }
            // A condition that old rows or old apps may violate has to wait for the phase `contract`.
            let isLoosened = before.map { self.follows(check, from: $0, change) } ?? false
            let isOfOldApps = check.condition.columns.contains { column in
                if case .constant = change.origin(of: column) { false } else { !change.isCustomColumn(column) }
            }
            let isLate = isOfOldApps && !isLoosened
            // The new apps may write what the old check refuses.
            if let before { settled.append(alter + "DROP CONSTRAINT IF EXISTS \(PostgreSQL.quoted(before.name))") }
            let isNameTaken = old.table.checks.contains { $0.name == check.name }
            let name = isNameTaken ? TableTransition.prefix + check.name : check.name
            addConstraint(
                name, try PostgreSQL.constraint(check, in: new, named: name, change.present), on: table,
                isLate ? .contract : .expand)
            renameConstraint(name, check.name, of: new)
        }
        for check in remaining {
            settled.append(alter + "DROP CONSTRAINT IF EXISTS \(PostgreSQL.quoted(check.name))")
        }
    }

    /// Whether every row that satisfies an old check satisfies a new one. Its columns may have other names.
    private func follows(_ check: Table.Check, from before: Table.Check, _ change: TableTransition) -> Bool {
        let (old, new) = (change.old, change.new)
        let isSame = check.condition.columns.allSatisfy { column in
            let source = change.origin(of: column)?.source
            return (source != nil || change.isKept(column)) && old.type(of: source ?? column) == new.type(of: column)
        }
        guard isSame else { return false }
        let condition = check.condition.mapColumns { change.origin(of: $0)?.source ?? $0 }
        let numbers: Set<ServerType> = [.bigint, .double, .real, .timestamptz]
        return condition == before.condition || Self.allows(condition, all: before.condition)
            || before.condition.implies(condition) { numbers.contains(old.type(of: $0)) }
    }

    /// Whether a condition is true for every row for which another one is: a list of values has become longer.
    static func allows(_ condition: RowExpression<String>, all other: RowExpression<String>) -> Bool {
        guard case .isIn(let value, let list) = condition, case .isIn(let otherValue, let otherList) = other else {
            return false
        }
        return value == otherValue && Set(otherList).isSubset(of: list)
    }

    // MARK: Foreign keys

    mutating func addForeignKeys(_ change: TableTransition, _ table: String) {
        let (old, new) = (change.old, change.new)
        let alter = "ALTER TABLE \(PostgreSQL.quoted(table)) "
        /// The column of the old table that has the values of a column; nil if there is none.
        func source(_ column: String) -> String? {
            switch change.origin(of: column) {
            case .kept, .filled: column
            case .renamedKey(let name): name
            default: nil
            }
        }
        var remaining = old.table.foreignKeys
        for key in new.table.foreignKeys {
            let target = owner(of: key.target, in: self.new)
            let sources = key.columns.map(source)
            let place = remaining.firstIndex { before in
                before.columns.map(Optional.some) == sources && before.deleteRule == key.deleteRule
                    && owner(of: before.target, in: self.old) == target
                    && transition(to: key.target).map { $0.old.name == before.target && !$0.isRebuilt } == true
                    && self.keeps(before.targetColumns, as: key.targetColumns, in: key.target)
            }
            if let place {
                renameConstraint(old.name(of: remaining.remove(at: place)), new.name(of: key), of: new)
                continue
            }
            let isRenamed = sources.contains { $0 != nil } && zip(sources, key.columns).contains { $0 != $1 }
            if isLateTarget(key) || isRenamed {
                add(key, to: new, isLate: true)
                continue
            }
            let isTaken = old.table.foreignKeys.contains { old.name(of: $0) == new.name(of: key) }
            let name = isTaken ? TableTransition.prefix + new.name(of: key) : new.name(of: key)
            // A reference of the old apps may refer to anything.
            let isSameKey = remaining.contains { before in
                before.columns == key.columns.map { change.origin(of: $0)?.source ?? $0 }
                    && owner(of: before.target, in: self.old) == target
            }
            let isOfOldApps = key.columns.contains { column in
                if case .derived = change.origin(of: column) { !isSameKey } else { change.isKept(column) }
            }
            addConstraint(
                name, PostgreSQL.constraint(key, in: new, named: name, change.present), on: table,
                isOfOldApps ? .contract : .expand)
            renameConstraint(name, new.name(of: key), of: new)
        }
        // The new apps may refer to what the old foreign key refuses.
        for key in remaining {
            settled.append(alter + "DROP CONSTRAINT IF EXISTS \(PostgreSQL.quoted(old.name(of: key)))")
        }
    }

    /// Whether columns of a table are still the same ones.
    func keeps(_ before: [String], as after: [String], in table: String) -> Bool {
        guard let change = transition(to: table), before.count == after.count else { return false }
        return zip(before, after).allSatisfy { before, after in
            switch change.origin(of: after) {
            case .kept, .filled: before == after
            case .renamedKey(let name): before == name
            default: false
            }
        }
    }
}
