// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The names that people who know other libraries try first. They do not compile, and the compiler says what to write instead.

import Foundation

extension Column where Value: OrderedValue {
    @available(*, unavailable, renamed: "ascending")
    public var asc: Ordering<Entity> { ascending }
    @available(*, unavailable, renamed: "descending")
    public var desc: Ordering<Entity> { descending }
    @available(*, unavailable, renamed: "isIn(_:)")
    public func `in`(_ values: some Sequence<Value>) -> Condition<Entity> { .always }
    @available(*, unavailable, message: "write a range: `isBetween(low...high)`")
    public func between(_ low: Value, _ high: Value) -> Condition<Entity> { .always }
}

extension Column where Value: ColumnEquatable {
    @available(*, unavailable, renamed: "set(to:)")
    public func set(_ value: Value) -> Assignment<Entity> { set(to: value) }
}

extension Column where Value: ExpressibleByNilLiteral {
    @available(*, unavailable, renamed: "isNil")
    public var isNull: Condition<Entity> { isNil }
    @available(*, unavailable, message: "write `!$0.property.isNil`, or `$0.property != nil`")
    public var isNotNil: Condition<Entity> { !isNil }
    @available(*, unavailable, message: "write `!$0.property.isNil`, or `$0.property != nil`")
    public var isNotNull: Condition<Entity> { !isNil }
}

/// Text, which may be nil.
public protocol ColumnText {}
extension String: ColumnText {}
extension Optional: ColumnText where Wrapped == String {}

extension Column where Value: ColumnText {
    @available(*, unavailable, message: "compare without case: `$0.name.equals(\"text\", ignoring: .case)`")
    public func lowercased() -> Column { self }
    @available(*, unavailable, message: "compare without case: `$0.name.equals(\"text\", ignoring: .case)`")
    public func uppercased() -> Column { self }
    @available(*, unavailable, message: "write `contains(\"text\", ignoring: .case)`")
    public func localizedCaseInsensitiveContains(_ part: String) -> Condition<Entity> { .always }
    @available(*, unavailable, message: "write `contains(\"text\", ignoring: [.case, .diacritics])`")
    public func localizedStandardContains(_ part: String) -> Condition<Entity> { .always }
    @available(*, unavailable, renamed: "isLike(_:)")
    public func like(_ pattern: String) -> Condition<Entity> { .always }
    @available(*, unavailable, renamed: "hasPrefix(_:)")
    public func starts(with prefix: String) -> Condition<Entity> { .always }
    @available(*, unavailable, renamed: "hasPrefix(_:)")
    public func startsWith(_ prefix: String) -> Condition<Entity> { .always }
    @available(*, unavailable, renamed: "hasSuffix(_:)")
    public func endsWith(_ suffix: String) -> Condition<Entity> { .always }
    @available(*, unavailable, message: "write `$0.name == \"\"`")
    public var isEmpty: Condition<Entity> { .always }
    @available(*, unavailable, message: "describe a search, and write `Movie.all.matching(\"words\")`")
    public func matches(_ pattern: String) -> Condition<Entity> { .always }
}

/// A date, which may be nil.
public protocol ColumnDate {}
extension Date: ColumnDate {}
extension Optional: ColumnDate where Wrapped == Date {}

extension Column where Value: ColumnDate {
    @available(*, unavailable, message: "write the time zone: `year(in: .current)`")
    public var year: Column<Entity, Int> { Column<Entity, Int>(computed: "0") }
    @available(*, unavailable, message: "write the time zone: `month(in: .current)`")
    public var month: Column<Entity, Int> { year }
    @available(*, unavailable, message: "write the time zone: `day(in: .current)`")
    public var day: Column<Entity, Int> { year }
    @available(*, unavailable, message: "write the time zone: `weekday(in: .current)`")
    public var weekday: Column<Entity, Int> { year }
    @available(*, unavailable, message: "write the time zone: `hour(in: .current)`")
    public var hour: Column<Entity, Int> { year }
    @available(*, unavailable, message: "write the time zone: `start(of: .month, in: .current)`")
    public func start(of unit: DateUnit) -> Column { self }
}

// MARK: Comparisons with other types

extension Column {
    @available(*, unavailable, message: "compare with a case of the enum: `$0.state == .done`")
    public static func == (column: Column, value: String) -> Condition<Entity> where Value: StoredEnum { .always }
    @available(*, unavailable, message: "compare with a case of the enum: `$0.state != .done`")
    public static func != (column: Column, value: String) -> Condition<Entity> where Value: StoredEnum { .always }
    @available(*, unavailable, message: "compare with a primary key: `$0.id == .init(number)`")
    public static func == (column: Column, value: Value.RawValue) -> Condition<Entity> where Value: RawEntityID {
        .always
    }
    @available(*, unavailable, message: "compare with a primary key: `$0.id != .init(number)`")
    public static func != (column: Column, value: Value.RawValue) -> Condition<Entity> where Value: RawEntityID {
        .always
    }
    @available(*, unavailable, message: "compare with a primary key: `$0.podcastID == .init(number)`")
    public static func == <ID: RawEntityID>(column: Column, value: ID.RawValue) -> Condition<Entity>
    where Value == ID? { .always }
    @available(*, unavailable, message: "compare with a primary key: `$0.id < .init(number)`")
    public static func < (column: Column, value: Value.RawValue) -> Condition<Entity> where Value: RawEntityID {
        .always
    }
    @available(*, unavailable, message: "compare with a primary key: `$0.id > .init(number)`")
    public static func > (column: Column, value: Value.RawValue) -> Condition<Entity> where Value: RawEntityID {
        .always
    }
    @available(*, unavailable, message: "list primary keys: `$0.id.isIn(numbers.map(Movie.ID.init))`")
    public func isIn(_ values: some Sequence<Value.RawValue>) -> Condition<Entity> where Value: RawEntityID { .always }
}

extension RelatedRow {
    @available(*, unavailable, message: "compare the primary keys: `$0.podcast.id == podcast.id`")
    public static func == (row: RelatedRow, other: Target) -> Condition<Source> { .always }
}

extension OptionalRelatedRow {
    @available(*, unavailable, message: "compare the primary keys: `$0.podcast.id == podcast.id`")
    public static func == (row: OptionalRelatedRow, other: Target) -> Condition<Source> { .always }
    @available(*, unavailable, message: "compare the foreign key: `$0.podcastID == nil`")
    public static func == (row: OptionalRelatedRow, other: Target?) -> Condition<Source> { .always }
}

// MARK: Requests

extension Request {
    @available(*, unavailable, renamed: "where(_:)")
    public func filter(_ condition: (Entity.Columns) -> Condition<Entity>) -> Request { self }
    @available(*, unavailable, renamed: "orderBy(_:)")
    public func order(_ order: (Entity.Columns) -> Ordering<Entity>) -> Request { self }
    @available(*, unavailable, renamed: "orderBy(_:)")
    public func order<Value>(_ property: (Entity.Columns) -> Column<Entity, Value>) -> Request { self }
    @available(*, unavailable, renamed: "orderBy(_:)")
    public func sorted<Value>(by property: (Entity.Columns) -> Column<Entity, Value>) -> Request { self }
    @available(*, unavailable, message: "order by a property of the related row: `$0.podcast.title`")
    public func orderBy<Target>(_ row: (Entity.Columns) -> RelatedRow<Entity, Target>) -> Request { self }
    @available(*, unavailable, message: "order by a property of the related row: `$0.podcast.title`")
    public func orderBy<Target>(_ row: (Entity.Columns) -> OptionalRelatedRow<Entity, Target>) -> Request { self }
    @available(*, unavailable, message: "group by the foreign key, or by a property of the related row")
    public func grouped<Target>(by row: (Entity.Columns) -> RelatedRow<Entity, Target>) -> Request { self }
    @available(*, unavailable, renamed: "grouped(by:)")
    public func group<Value>(by key: (Entity.Columns) -> Column<Entity, Value>) -> Request { self }
    @available(
        *, unavailable,
        message: "relationships need no join: write `$0.podcast.title` in a condition, an order or a selection"
    )
    public func joining<Target>(required path: KeyPath<Entity.Relationships, RequiredToOne<Entity, Target>>) -> Request
    {
        self
    }
    @available(
        *, unavailable,
        message: "relationships need no join: write `$0.podcast.title` in a condition, an order or a selection"
    )
    public func joining<Target>(optional path: KeyPath<Entity.Relationships, ToOne<Entity, Target>>) -> Request { self }
    @available(*, unavailable, message: "write `limit(20, offset: 40)`")
    public func offset(_ count: Int) -> Request { self }
    @available(*, unavailable, message: "select values first: `select { $0.title }.distinct()`")
    public func distinct() -> Request { self }
    @available(*, unavailable, message: "group the rows first: `grouped(by: \\.studioID).having { $0.count > 1 }`")
    public func having(_ condition: (Entity.Columns) -> Condition<Entity>) -> Request { self }
    @available(*, unavailable, message: "write `try transaction.count(request)`")
    public var count: Int { 0 }
    @available(*, unavailable, message: "write `try transaction.first(request)`")
    public var first: Entity? { nil }
}

extension Selection {
    @available(*, unavailable, message: "write `where` before `select`")
    public func `where`(_ condition: (Entity.Columns) -> Condition<Entity>) -> Selection { self }
    @available(*, unavailable, message: "write `orderBy` before `select`")
    public func orderBy<Property>(_ property: (Entity.Columns) -> Column<Entity, Property>) -> Selection { self }
    @available(*, unavailable, message: "write `orderBy` before `select`")
    public func orderBy(_ order: (Entity.Columns) -> Ordering<Entity>) -> Selection { self }
}

extension GroupedRequest {
    @available(*, unavailable, message: "write `where` before `grouped` for rows, or `having` for groups")
    public func `where`(_ condition: (Entity.Columns) -> Condition<Entity>) -> GroupedRequest { self }
}
