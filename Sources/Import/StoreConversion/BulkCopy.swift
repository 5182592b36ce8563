import CSQLite
import Foundation
import SQLSchema
import Strata

/// Copies all rows of a table with one statement. If one of them does not fit as it is, it copies none.
///
/// The statement reads the other database under the name `strata_source`. Its functions check and convert each value as
/// `TableCopy` does.
final class BulkCopy {
    private static let source = "strata_source"

    /// Attaches the other database to the connection of the store, to be read only.
    ///
    /// - Returns: Whether it can be read in this way.
    static func attach(_ file: URL, to target: Connection) -> Bool {
        do {
            try target.execute("ATTACH \(SQL.literal(file.absoluteString + "?mode=ro")) AS \(source)")
        } catch {
            return false
        }
        // With the app's own key, the database may be unreadable.
        if (try? target.integer("SELECT count(*) FROM \(source).sqlite_schema")) != nil { return true }
        try? target.execute("DETACH \(source)")
        return false
    }

    /// A column, as its values are checked.
    private struct Column {
        let form: ImportedForm?
        let isReal: Bool
        let isKey: Bool
    }

    private let columns: [Column]
    /// The columns whose values `strata_fits` checks. A STRICT table refuses wrong values of the others.
    private let checked: [Column]
    private let checkedPlaces: [Int]
    private let files: URL?
    private let table: Table
    private let monitor: ConversionMonitor
    /// The error that ends the conversion.
    private var error: (any Error)?

    init(_ table: Table, forms: [ImportedForm?], files: URL?, _ monitor: ConversionMonitor) {
        self.table = table
        self.files = files
        self.monitor = monitor
        let columns = zip(table.columns, forms).map { column, form in
            Column(form: form, isReal: column.type == .real, isKey: column.name == table.integerKey)
        }
        checkedPlaces = columns.indices.filter { place in
            columns[place].form == nil
                && (columns[place].isKey || [.text, .real, .any].contains(table.columns[place].type))
        }
        checked = checkedPlaces.map { columns[$0] }
        self.columns = columns
    }

    /// Copies the rows.
    ///
    /// - Returns: Whether all rows fit. If not, there are none.
    /// - Throws: `MigrationError.cancelled`.
    func run(_ rows: ConvertedTable, into target: Connection) throws -> Bool {
        // A foreign key of several columns can be partly NULL, and then it is cleared.
        guard table.foreignKeys.allSatisfy({ $0.columns.count == 1 }) else { return false }
        try add(to: target)
        let read = rows.values.enumerated().map { "\($1) AS strata_\($0)" } + ["\(rows.conflict) AS strata_conflict"]
        let values = columns.indices.map { place in
            columns[place].form == nil ? "strata_\(place)" : "strata_form(\(place), strata_\(place))"
        }
        let arguments = ["strata_conflict"] + checkedPlaces.map { "strata_\($0)" }
        let completed = monitor.completed
        try target.execute("SAVEPOINT strata_bulk")
        do {
            try target.execute(
                """
                INSERT INTO main.\(SQL.quoted(table.name)) (\(SQL.list(table.columnNames)))
                SELECT \(values.joined(separator: ", "))
                FROM (SELECT \(read.joined(separator: ", ")) FROM \(Self.source).\(rows.from))
                WHERE strata_fits(\(arguments.joined(separator: ", ")))
                """)
            try target.execute("RELEASE strata_bulk")
            return true
        } catch let failure as SQLiteError {
            do {
                try target.execute("ROLLBACK TO strata_bulk; RELEASE strata_bulk")
            } catch {
                // After some errors, such as a full disk, SQLite has rolled back the transaction.
                throw failure
            }
            if let error { throw error }
            // A row does not fit. `TableCopy` meets any other error again.
            monitor.completed = completed
            return false
        }
    }

    private typealias Arguments = UnsafeMutablePointer<OpaquePointer?>

    private func add(to target: Connection) throws {
        try add("strata_fits", to: target) { context, _, arguments in
            BulkCopy.running(context)?.fit(context, arguments)
        }
        try add("strata_form", to: target) { context, _, arguments in
            BulkCopy.running(context)?.convert(context, arguments)
        }
    }

    private func add(
        _ name: String, to target: Connection, _ function: @convention(c) (OpaquePointer?, Int32, Arguments?) -> Void
    ) throws {
        let code = sqlite3_create_function_v2(
            target.pointer, name, -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, Unmanaged.passUnretained(self).toOpaque(),
            function,
            nil, nil, nil)
        guard code == SQLITE_OK else { throw MigrationError.badCopy(name) }
    }

    private static func running(_ context: OpaquePointer?) -> BulkCopy? {
        sqlite3_user_data(context).map { Unmanaged<BulkCopy>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Checks the values of a row that are stored unchanged.
    private func fit(_ context: OpaquePointer?, _ arguments: Arguments?) {
        guard let arguments else { return }
        do {
            monitor.completed += 1
            if monitor.completed.isMultiple(of: 1024) { try monitor.report(table) }
        } catch {
            self.error = error
            return sqlite3_result_error(context, "the conversion was cancelled", -1)
        }
        var fits = sqlite3_value_type(arguments[0]) == SQLITE_NULL
        for place in checked.indices where fits {
            let (value, column) = (arguments[place + 1], checked[place])
            switch sqlite3_value_type(value) {
            case SQLITE_TEXT: fits = !column.isKey && SQLiteValue.isUTF8(value)
            case SQLITE_INTEGER where column.isReal:
                fits = Double(exactly: sqlite3_value_int64(value)) != nil
            case SQLITE_INTEGER: break
            default: fits = !column.isKey
            }
        }
        if fits {
            sqlite3_result_int(context, 1)
        } else {
            sqlite3_result_error(context, "a row does not fit", -1)
        }
    }

    /// Converts a value to its form in the store.
    private func convert(_ context: OpaquePointer?, _ arguments: Arguments?) {
        guard let arguments else { return }
        let place = Int(sqlite3_value_int64(arguments[0]))
        guard let value = SQLiteValue(argument: arguments[1]),
            let converted = columns[place].form?.value(value, files: files)
        else { return sqlite3_result_error(context, "a value does not fit", -1) }
        converted.give(to: context)
    }
}
