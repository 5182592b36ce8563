import CSQLite
import Foundation
import SQLSchema
import Strata

/// The SQL function of a comparison that computes expected values in Swift: `strata_expected(2, o."code")`.
final class ExpectedValueFunction {
    private static let name = "strata_expected"
    private var values: [ExpectedValue] = []
    /// The results for texts, by the number of the value and the bytes of the text. Reading the same JSON in many rows would
    /// take long.
    private var results: [Int: [Data: SQLiteValue]] = [:]

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
        let number = Int(sqlite3_value_int64(arguments[0]))
        do {
            try value(number, row.compactMap(\.self)).give(to: context)
        } catch {
            sqlite3_result_error(context, String(describing: error), -1)
        }
    }

    private func value(_ number: Int, _ row: [SQLiteValue]) throws -> SQLiteValue {
        var rest = row[...]
        guard row.count == 1, case .text(let text) = row[0] else { return try values[number].value(of: &rest) }
        let bytes = Data(text.utf8)
        if let known = results[number]?[bytes] { return known }
        let result = try values[number].value(of: &rest)
        results[number, default: [:]][bytes] = result
        return result
    }

    /// Returns SQL for a value over the columns of the old row `o`.
    func sql(_ value: ExpectedValue) -> String {
        if case .column(let name) = value { return "o." + SQL.quoted(name) }
        values.append(value)
        let arguments = ["\(values.count - 1)"] + value.columns.map { "o." + SQL.quoted($0) }
        return "\(Self.name)(\(arguments.joined(separator: ", ")))"
    }
}
