import Foundation
import SQLSchema

// Parts of dates in a time zone, for conditions, groups and selections.

extension Column where Value == Date {
    /// The year, in the Gregorian calendar.
    public func year(in zone: TimeZone) -> Column<Entity, Int> { part("year", zone) }

    /// The month, from 1 to 12.
    ///
    /// ```swift
    /// let months = Episode.all.grouped { ($0.date.year(in: zone), $0.date.month(in: zone)) }
    /// ```
    public func month(in zone: TimeZone) -> Column<Entity, Int> { part("month", zone) }

    /// The day of the month, from 1.
    public func day(in zone: TimeZone) -> Column<Entity, Int> { part("day", zone) }

    /// The day of the week, from 1 for Sunday to 7 for Saturday.
    public func weekday(in zone: TimeZone) -> Column<Entity, Int> { part("weekday", zone) }

    /// The hour of the day, from 0 to 23.
    public func hour(in zone: TimeZone) -> Column<Entity, Int> { part("hour", zone) }

    /// The beginning of the unit of time that contains the date.
    ///
    /// ```swift
    /// let weeks = Episode.all.grouped { $0.date.start(of: .week, in: zone) }.select { ($0.key, $0.count) }
    /// ```
    public func start(of unit: DateUnit, in zone: TimeZone) -> Column<Entity, Date> { start(unit, zone) }
}

extension Column where Value == Date? {
    /// The year, in the Gregorian calendar; nil without a date.
    public func year(in zone: TimeZone) -> Column<Entity, Int?> { part("year", zone) }

    /// The month, from 1 to 12; nil without a date.
    public func month(in zone: TimeZone) -> Column<Entity, Int?> { part("month", zone) }

    /// The day of the month, from 1; nil without a date.
    public func day(in zone: TimeZone) -> Column<Entity, Int?> { part("day", zone) }

    /// The day of the week, from 1 for Sunday to 7 for Saturday; nil without a date.
    public func weekday(in zone: TimeZone) -> Column<Entity, Int?> { part("weekday", zone) }

    /// The hour of the day, from 0 to 23; nil without a date.
    public func hour(in zone: TimeZone) -> Column<Entity, Int?> { part("hour", zone) }

    /// The beginning of the unit of time that contains the date; nil without a date.
    public func start(of unit: DateUnit, in zone: TimeZone) -> Column<Entity, Date?> { start(unit, zone) }
}

extension Column {
    fileprivate func part<Part>(_ name: String, _ zone: TimeZone) -> Column<Entity, Part> {
        Column<Entity, Part>(computed: call(DateFunctions.part, zone, name))
    }

    fileprivate func start(_ unit: DateUnit, _ zone: TimeZone) -> Column {
        Column(computed: call(DateFunctions.start, zone, unit.rawValue))
    }

    /// The names are part of the SQL: SQLite then finds that a selected value is the one of a group.
    private func call(_ function: String, _ zone: TimeZone, _ name: String) -> QueryFragment {
        let zone = DateFunctions.name(of: zone)
        return "\(sql: function)(\(fragment), \(sql: SQL.literal(zone)), \(sql: SQL.literal(name)))"
    }
}
