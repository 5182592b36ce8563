import CSQLite
import Foundation
import SQLSchema
import Strata

/// Copies a part of the rows of a table with one statement. If one of them does not fit as it is, it copies none.
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

    /// A column whose values `strata_fits` checks. A STRICT table refuses wrong values of the others.
    private struct CheckedColumn {
        let index: Int
        let isReal: Bool
        let isKey: Bool
    }

    private let forms: [ImportedForm?]
    private let checked: [CheckedColumn]
    private let files: URL?
    private let rows: ConvertedTable
    private let table: Table
    /// The number of rows that the running statement has read.
    private var count = 0
    /// The number of the last one of them.
    private var lastRow: Int64 = 0
    private let monitor: ConversionMonitor
    /// The error that ends the conversion.
    private var error: (any Error)?

    init(_ rows: ConvertedTable, forms: [ImportedForm?], files: URL?, _ monitor: ConversionMonitor) {
        let table = rows.table
        (self.rows, self.table) = (rows, table)
        self.files = files
        self.monitor = monitor
        self.forms = forms
        checked = table.columns.enumerated().compactMap { index, column in
            let isKey = column.name == table.integerKey
            guard forms[index] == nil, isKey || [.text, .real, .any].contains(column.type) else { return nil }
            switch rows.known[index] {
            case .rowNumber where isKey, .realNumbers where column.type == .real: return nil
            default: break
            }
            return CheckedColumn(index: index, isReal: column.type == .real, isKey: isKey)
        }
    }

    /// Copies a part of the rows.
    ///
    /// - Returns: The rows; nil if one of them does not fit, so that none is copied.
    /// - Throws: `CancellationError`.
    func run(_ part: ConvertedTable.Part, into target: Connection) throws -> ConvertedTable.Copied? {
        // A foreign key of several columns can be partly NULL, and then it is cleared.
        guard table.foreignKeys.allSatisfy({ $0.columns.count == 1 }) else { return nil }
        try add(to: target)
        let values = forms.indices.map { index in
            forms[index] == nil ? "strata_\(index)" : "strata_form(\(index), strata_\(index))"
        }
        let arguments =
            ["strata_row"] + checked.map { "strata_\($0.index)" } + (rows.conflict == "NULL" ? [] : ["strata_conflict"])
        let query = rows.query(
            values, of: part, where: "strata_fits(\(arguments.joined(separator: ", ")))", in: Self.source + ".")
        count = 0
        let completed = monitor.completed
        try target.execute("SAVEPOINT strata_bulk")
        do {
            try target.execute(
                "INSERT INTO main.\(SQL.quoted(table.name)) (\(SQL.list(table.columnNames))) \(query)")
            try target.execute("RELEASE strata_bulk")
            monitor.completed = completed + count
            return .init(read: count, stored: count, last: count > 0 ? lastRow : nil)
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
            return nil
        }
    }

    private typealias Arguments = UnsafeMutablePointer<OpaquePointer?>

    private func add(to target: Connection) throws {
        try add("strata_fits", to: target) { context, count, arguments in
            // Counting references would take longer than the check.
            BulkCopy.running(context)?._withUnsafeGuaranteedRef { $0.fit(context, arguments, Int(count)) }
        }
        try add("strata_form", to: target) { context, _, arguments in
            BulkCopy.running(context)?._withUnsafeGuaranteedRef { $0.convert(context, arguments) }
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

    private static func running(_ context: OpaquePointer?) -> Unmanaged<BulkCopy>? {
        sqlite3_user_data(context).map { Unmanaged.fromOpaque($0) }
    }

    /// Checks the values of a row that are stored unchanged.
    private func fit(_ context: OpaquePointer?, _ arguments: Arguments?, _ argumentCount: Int) {
        guard let arguments else { return }
        count += 1
        lastRow = sqlite3_value_int64(arguments[0])
        if count.isMultiple(of: 1024) {
            do {
                monitor.completed += 1024
                try monitor.report(table)
            } catch {
                self.error = error
                return sqlite3_result_error(context, "the conversion was cancelled", -1)
            }
        }
        // The last argument, if there is one more, is the conflict.
        let conflict = checked.count + 1
        var fits = argumentCount == conflict || sqlite3_value_type(arguments[conflict]) == SQLITE_NULL
        for index in checked.indices where fits {
            let (value, column) = (arguments[index + 1], checked[index])
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
        let index = Int(sqlite3_value_int64(arguments[0]))
        guard let value = SQLiteValue(argument: arguments[1]),
            let converted = forms[index]?.value(value, files: files)
        else { return sqlite3_result_error(context, "a value does not fit", -1) }
        converted.give(to: context)
    }
}
