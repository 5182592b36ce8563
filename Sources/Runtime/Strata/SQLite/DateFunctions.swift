import CSQLite
import Foundation
import SQLSchema

/// A unit of time in which dates are grouped.
public enum DateUnit: String, Hashable, Sendable {
    /// A year or a month of the Gregorian calendar.
    case year, month
    /// A week from Monday to Sunday.
    case week
    /// A day or an hour.
    case day, hour
}

/// The SQL functions that know the parts of a date in a time zone. Queries use them, and tables and indexes never do.
enum DateFunctions {
    /// A function of a date, a time zone and the name of a part. Its result is an integer.
    static let part = "strata_date_part"
    /// A function of a date, a time zone and the name of a unit. Its result is the date when the unit begins.
    static let start = "strata_date_start"

    private static let parts: [String: Calendar.Component] = [
        "year": .year, "month": .month, "day": .day, "weekday": .weekday, "hour": .hour,
    ]
    private static let units: [DateUnit: Calendar.Component] = [
        .year: .year, .month: .month, .week: .weekOfYear, .day: .day, .hour: .hour,
    ]
    /// Calendars do not count all seconds that a date can have. This is more than 30,000 years.
    private static let mostSeconds = 1e12

    /// Adds the functions to a connection.
    static func add(to database: OpaquePointer) throws {
        // SQLITE_DIRECTONLY: a schema that was tampered with cannot call the functions.
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
        let codes = [
            sqlite3_create_function_v2(
                database, part, 3, flags, nil,
                { context, _, arguments in
                    DateFunctions.run(context, arguments) { date, calendar, name in
                        DateFunctions.parts[name].map { .integer(Int64(calendar.component($0, from: date))) }
                    }
                }, nil, nil, nil),
            sqlite3_create_function_v2(
                database, start, 3, flags, nil,
                { context, _, arguments in
                    DateFunctions.run(context, arguments) { date, calendar, name in
                        let unit = DateUnit(rawValue: name).flatMap { DateFunctions.units[$0] }
                        let start = unit.flatMap { calendar.dateInterval(of: $0, for: date)?.start }
                        return start.map { .real($0.timeIntervalSinceReferenceDate) }
                    }
                }, nil, nil, nil),
        ]
        guard codes.allSatisfy({ $0 == SQLITE_OK }) else { throw SQLiteError(of: database) }
    }

    /// Gives the result of `body` for a date, a calendar with the time zone, and a name; NULL for NULL.
    private static func run(
        _ context: OpaquePointer?, _ arguments: UnsafeMutablePointer<OpaquePointer?>?,
        _ body: (Date, Calendar, String) -> SQLiteValue?
    ) {
        guard let arguments, sqlite3_value_type(arguments[0]) != SQLITE_NULL else {
            return sqlite3_result_null(context)
        }
        let seconds = sqlite3_value_double(arguments[0])
        guard seconds.magnitude <= mostSeconds, let calendar = calendar(context, arguments[1]) else {
            return sqlite3_result_error(
                context, "the date has no parts: it is too far away, or the time zone is unknown", -1)
        }
        let name = String(cString: sqlite3_value_text(arguments[2]))
        if let value = body(Date(timeIntervalSinceReferenceDate: seconds), calendar.value, name) {
            value.give(to: context)
        } else {
            sqlite3_result_null(context)
        }
    }

    /// The name of a time zone for the functions. Foundation rounds a number of seconds to minutes in its name.
    static func name(of zone: TimeZone) -> String {
        let seconds = zone.secondsFromGMT()
        let isExact = TimeZone(identifier: zone.identifier)?.secondsFromGMT() == seconds
        return isExact ? zone.identifier : String(seconds)
    }

    private final class SharedCalendar {
        let value: Calendar

        init?(_ zone: String) {
            guard let zone = Int(zone).map({ TimeZone(secondsFromGMT: $0) }) ?? TimeZone(identifier: zone) else {
                return nil
            }
            var calendar = Calendar(identifier: .iso8601)
            calendar.timeZone = zone
            value = calendar
        }
    }

    /// The calendar for a time zone. SQLite keeps it for as long as the argument is the same
    /// (https://sqlite.org/c3ref/get_auxdata.html).
    private static func calendar(_ context: OpaquePointer?, _ zone: OpaquePointer?) -> SharedCalendar? {
        if let known = sqlite3_get_auxdata(context, 1) {
            return Unmanaged<SharedCalendar>.fromOpaque(known).takeUnretainedValue()
        }
        guard let text = sqlite3_value_text(zone), let calendar = SharedCalendar(String(cString: text)) else {
            return nil
        }
        sqlite3_set_auxdata(context, 1, Unmanaged.passRetained(calendar).toOpaque()) { calendar in
            if let calendar { Unmanaged<SharedCalendar>.fromOpaque(calendar).release() }
        }
        return calendar
    }
}
