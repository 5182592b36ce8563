import CSQLite
import SQLSchema
import Strata

/// The SQL function of a comparison that computes expected values in Swift: `strata_expected(2, o."code")`.
final class ExpectedValueFunction {
    private static let name = "strata_expected"
    private var values: [ExpectedValue] = []

    /// Adds the function to a connection, which keeps this object alive.
    init(on connection: Connection) throws {
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
        let code = sqlite3_create_function_v2(
            connection.pointer, Self.name, -1, flags, Unmanaged.passRetained(self).toOpaque(),
            { context, count, arguments in
                guard let pointer = sqlite3_user_data(context), let arguments else { return }
                let function = Unmanaged<ExpectedValueFunction>.fromOpaque(pointer).takeUnretainedValue()
                function.run(context, UnsafeBufferPointer(start: arguments, count: Int(count)))
            }, nil, nil,
            { pointer in
                if let pointer { Unmanaged<ExpectedValueFunction>.fromOpaque(pointer).release() }
            })
        guard code == SQLITE_OK else { throw SQLiteError(of: connection.pointer) }
    }

    private func run(_ context: OpaquePointer?, _ arguments: UnsafeBufferPointer<OpaquePointer?>) {
        let row = arguments.dropFirst().map { SQLiteValue(argument: $0) }
        guard !row.contains(nil) else { return sqlite3_result_error(context, "a text is not UTF-8", -1) }
        var values = row.compactMap(\.self)[...]
        do {
            try self.values[Int(sqlite3_value_int64(arguments[0]))].value(of: &values).give(to: context)
        } catch {
            sqlite3_result_error(context, String(describing: error), -1)
        }
    }

    /// Returns SQL for a value over the columns of the old row `o`.
    func sql(_ value: ExpectedValue) -> String {
        if case .column(let name) = value { return "o." + SQL.quoted(name) }
        values.append(value)
        let arguments = ["\(values.count - 1)"] + value.columns.map { "o." + SQL.quoted($0) }
        return "\(Self.name)(\(arguments.joined(separator: ", ")))"
    }
}
