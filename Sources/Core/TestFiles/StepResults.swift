import Foundation
import SQLSchema

/// The values that custom code and conversions give in a step, for the rows of a fixture.
///
/// The tests of a schema write it to a file beside the fixtures: `1.0-2.0.rows`. `release` seals the file, and from then
/// on the tests compare it with what the step gives.
///
/// ```text
/// # The results of the step from 1.0 to 2.0 for the rows of 1.0.sqlite. The tests write this file, and compare it.
/// fixture 8b5c2c4fb1ae3a2f
/// varies user.created_at
/// user 1 | full_name "Ada Lovelace" | phone NULL
/// ```
package struct StepResults: Equatable, Sendable {
    /// A row with the values that the step gives.
    package struct Row: Equatable, Sendable {
        /// The name of the table.
        package let table: String
        /// The primary key, as in the file.
        package let key: String
        /// The other columns, with their values as in the file.
        package var values: [(column: String, value: String)]

        package init(table: String, key: String, values: [(column: String, value: String)]) {
            (self.table, self.key, self.values) = (table, key, values)
        }

        package static func == (left: Row, right: Row) -> Bool {
            left.id == right.id && left.values.elementsEqual(right.values, by: ==)
        }

        /// The table and the primary key.
        package var id: String { "\(table) \(key)" }

        var text: String { ([id] + values.map { "\($0.column) \($0.value)" }).joined(separator: " | ") }
    }

    /// The version before the step.
    package let from: String
    /// The version after it.
    package let to: String
    /// The hash of the fixture's file.
    package let fixture: UInt64
    /// The columns and tables that two runs gave differently: columns as `user.created_at`, or tables whose rows have other keys.
    package private(set) var varying: Set<String> = []
    /// The rows, in the order of the file.
    package private(set) var rows: [Row]

    package init(from: String, to: String, fixture: UInt64, rows: [Row]) {
        (self.from, self.to, self.fixture, self.rows) = (from, to, fixture, rows)
    }

    /// Returns the name of the file of a step.
    package static func fileName(from: String, to: String, isDraft: Bool) -> String {
        "\(isDraft ? "draft-" : "")\(from)-\(to).rows"
    }

    // MARK: The file

    /// The text of the file.
    package var text: String {
        """
        # The results of the step from \(from) to \(to) for the rows of \(from).sqlite. The tests write this file, and compare it.
        fixture \(String(fixture, radix: 16))

        """ + varying.sorted().map { "varies \($0)\n" }.joined() + rows.map { $0.text + "\n" }.joined()
    }

    /// Parses the text of a file; nil if it is not of the results of the step.
    package init?(parsing text: String, from: String, to: String) {
        var lines = text.split(separator: "\n").drop { $0.hasPrefix("#") }
        let head = lines.popFirst()?.split(separator: " ") ?? []
        guard head.count == 2, head[0] == "fixture", let fixture = UInt64(head[1], radix: 16) else { return nil }
        self.init(from: from, to: to, fixture: fixture, rows: [])
        for line in lines {
            if line.hasPrefix("varies ") {
                varying.insert(String(line.dropFirst(7)))
            } else if let row = Row(parsing: line) {
                rows.append(row)
            } else {
                return nil
            }
        }
    }

    /// Returns a name as a word without spaces.
    package static func word(_ name: String) -> String {
        let isPlain = name.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte) || byte == 0x5f
        }
        // A line may begin with `varies`.
        return isPlain && !["", "varies"].contains(name) ? name : quoted(name).replacing(" ", with: "\\u{20}")
    }

    /// Returns a text in one line, in quotation marks.
    ///
    /// Two results are equal only if their texts have the same bytes. So a text of which Unicode has an equivalent form is escaped.
    package static func quoted(_ text: String) -> String {
        let isNormal = text.precomposedStringWithCanonicalMapping.utf8.elementsEqual(text.utf8)
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": quoted += "\\n"
            case "\"", "\\": quoted += "\\\(scalar)"
            case "|": quoted += "\\u{7c}"
            case _ where scalar.value < 0x20 || scalar.value == 0x7f || !isNormal && !scalar.isASCII:
                quoted += "\\u{\(String(scalar.value, radix: 16))}"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    // MARK: Comparison

    /// Returns these results without what another run gave differently, which is named in `varying`.
    package func without(differencesFrom other: StepResults) -> StepResults {
        var results = self
        let others = Dictionary(other.rows.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let own = Set(rows.map(\.id))
        results.varying.formUnion(other.rows.filter { !own.contains($0.id) }.map(\.table))
        for row in rows {
            guard let second = others[row.id] else {
                results.varying.insert(row.table)
                continue
            }
            for (column, value) in row.values
            where second.values.first(where: { $0.column == column })?.value != value {
                results.varying.insert("\(row.table).\(column)")
            }
        }
        results.rows = results.leavingOut(results.varying).filter { others[$0.id] != nil }
        return results
    }

    /// Returns these results without what an earlier run has found to vary, or gave differently.
    ///
    /// Only a run in another process shows what depends on the order of a dictionary.
    package func merging(_ earlier: StepResults) -> StepResults {
        var results = self
        results.varying.formUnion(earlier.varying)
        results.rows = leavingOut(results.varying).filter { row in
            !earlier.varying.contains(row.table) || earlier.rows.contains { $0.id == row.id }
        }
        return results.without(differencesFrom: earlier)
    }

    /// Returns the rows without varying columns.
    private func leavingOut(_ varying: Set<String>) -> [Row] {
        if varying.isEmpty { return rows }
        return rows.map { row in
            var row = row
            row.values.removeAll { varying.contains("\(row.table).\($0.column)") }
            return row
        }
    }

    /// Returns what differs from the sealed results, with the former and the present values.
    package func differences(from sealed: StepResults) -> [String] {
        let present = Dictionary(
            leavingOut(sealed.varying).map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let former = Set(sealed.rows.map(\.id))
        var differences: [String] = []
        for row in sealed.rows {
            guard let now = present[row.id] else {
                differences.append("\(row.id): the row is missing now")
                continue
            }
            let columns = row.values.map(\.column)
            for column in columns + now.values.map(\.column).filter({ !columns.contains($0) }) {
                func value(_ row: Row) -> String? { row.values.first { $0.column == column }?.value }
                let (then, today) = (value(row), value(now))
                if then != today {
                    differences.append(
                        "\(row.id): \(column) was \(then ?? "not given"), and is \(today ?? "not given") now")
                }
            }
        }
        for row in rows where !former.contains(row.id) && !sealed.varying.contains(row.table) {
            differences.append("\(row.id): the row was not there")
        }
        return differences
    }
}

extension StepResults.Row {
    /// Parses a line of a file; nil if it is not a row.
    fileprivate init?(parsing line: Substring) {
        var fields = line.split(separator: " | ").makeIterator()
        guard let head = fields.next(), let space = head.firstIndex(of: " ") else { return nil }
        table = String(head[..<space])
        key = String(head[space...].dropFirst())
        values = []
        while let field = fields.next() {
            guard let space = field.firstIndex(of: " ") else { return nil }
            values.append((String(field[..<space]), String(field[space...].dropFirst())))
        }
    }
}
