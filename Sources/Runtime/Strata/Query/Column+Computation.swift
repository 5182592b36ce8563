import Foundation
import SQLSchema

// Values that SQL computes from the columns of a row.

extension Column where Value: ColumnComparable & Numeric {
    /// The sum of two properties.
    public static func + (left: Column, right: Column) -> Column { left.computed("+", right.fragment) }

    /// The sum of the property and a value.
    public static func + (left: Column, right: Value) -> Column { left.computed("+", left.argument(right)) }

    /// The difference of two properties.
    public static func - (left: Column, right: Column) -> Column { left.computed("-", right.fragment) }

    /// The difference of the property and a value.
    public static func - (left: Column, right: Value) -> Column { left.computed("-", left.argument(right)) }

    /// The product of two properties.
    ///
    /// ```swift
    /// try transaction.update(Movie.all) { [$0.voteCount.set(to: $0.voteCount * $0.voteCount)] }
    /// ```
    ///
    /// SQLite gives a product of integers that is not an `Int` as a floating-point number, which cannot be read or stored as an
    /// `Int`.
    public static func * (left: Column, right: Column) -> Column { left.computed("*", right.fragment) }

    /// The product of the property and a value.
    public static func * (left: Column, right: Value) -> Column { left.computed("*", left.argument(right)) }
}

extension Column {
    /// The sum of two properties; nil if one of them is nil.
    public static func + <V: ColumnComparable & Numeric>(left: Column, right: Column) -> Column where Value == V? {
        left.computed("+", right.fragment)
    }

    /// The sum of the property and a value, unless it is nil.
    public static func + <V: ColumnComparable & Numeric>(left: Column, right: V) -> Column where Value == V? {
        left.computed("+", left.argument(right))
    }

    /// The difference of two properties; nil if one of them is nil.
    public static func - <V: ColumnComparable & Numeric>(left: Column, right: Column) -> Column where Value == V? {
        left.computed("-", right.fragment)
    }

    /// The difference of the property and a value, unless it is nil.
    public static func - <V: ColumnComparable & Numeric>(left: Column, right: V) -> Column where Value == V? {
        left.computed("-", left.argument(right))
    }

    /// The product of two properties; nil if one of them is nil.
    public static func * <V: ColumnComparable & Numeric>(left: Column, right: Column) -> Column where Value == V? {
        left.computed("*", right.fragment)
    }

    /// The product of the property and a value, unless it is nil.
    public static func * <V: ColumnComparable & Numeric>(left: Column, right: V) -> Column where Value == V? {
        left.computed("*", left.argument(right))
    }

    /// The property, or `value` if it is nil.
    ///
    /// ```swift
    /// let request = Movie.all.orderBy { ($0.studio.name ?? "").ascending }
    /// ```
    public static func ?? <V: ColumnEquatable>(column: Column, value: V) -> Column<Entity, V> where Value == V? {
        // A member of a struct is read from JSON, and so is the value in its place.
        let text = (value as? any JSONConvertible).flatMap { try? JSONWriter.text(of: $0) }
        let json = column.json.flatMap { json in
            text.map { text -> QueryFragment in
                "CASE WHEN \(column.fragment) IS NULL THEN json_array(json(\(.text(text)))) ELSE \(json) END"
            }
        }
        return Column<Entity, V>(
            computed: "coalesce(\(column.fragment), \(column.argument(value)))", isJSON: column.isJSON, json: json)
    }

    private func computed(_ operation: String, _ right: QueryFragment) -> Column {
        let function = Self.isDecimal ? DecimalFunctions.functions[operation] : nil
        return Column(
            computed: function.map { "\(sql: $0)(\(fragment), \(right))" }
                ?? "(\(fragment) \(sql: operation) \(right))")
    }
}

extension Column where Value == Int {
    /// The number as a `Double`.
    ///
    /// ```swift
    /// let request = Movie.all.orderBy { ($0.popularity * $0.voteCount.double).descending }
    /// ```
    public var double: Column<Entity, Double> { Column<Entity, Double>(computed: "CAST(\(fragment) AS REAL)") }
}

extension Column where Value == Int? {
    /// The number as a `Double`.
    public var double: Column<Entity, Double?> { Column<Entity, Double?>(computed: "CAST(\(fragment) AS REAL)") }
}

// MARK: Own SQL

extension Column {
    /// Creates a value from SQL of your own. The values of its parameters are bound.
    ///
    /// ```swift
    /// let length = Column<Movie, Int>(sql: "length(title)")
    /// let request = Movie.all.orderBy { _ in length.descending }
    /// ```
    ///
    /// - Parameters:
    ///   - sql: An expression of SQL. It names the columns of the entity's table, and reads nothing from related rows.
    ///   - arguments: The values of the parameters `?`. A primary key with several columns takes several parameters.
    public init(sql: String, _ arguments: [(any ColumnStorable & Sendable)?] = []) {
        self.init(computed: QueryFragment(.own(sql, arguments.map { .own($0) }, table: Entity.table)))
    }
}

extension Condition {
    /// Creates a condition from SQL of your own. The values of its parameters are bound.
    ///
    /// ```swift
    /// let isLong = Condition<Movie>(sql: "length(title) > ?", [10])
    /// let movies = try transaction.fetch(Movie.all.filter(isLong).where { $0.popularity > 3 })
    /// ```
    ///
    /// The statement fails with `QueryError` if the number of arguments is wrong, and with `SQLiteError` if the SQL is invalid.
    ///
    /// - Parameters:
    ///   - sql: A condition of SQL. It names the columns of the entity's table, and may have subqueries.
    ///   - arguments: The values of the parameters `?`. A primary key with several columns takes several parameters.
    public init(sql: String, _ arguments: [(any ColumnStorable & Sendable)?] = []) {
        self.init(Column<Entity, Bool>(sql: sql, arguments).fragment)
    }
}

// MARK: Bool

extension Column where Value == Bool {
    private var isTrue: Condition<Entity> { Condition(fragment) }

    /// The property is false.
    public static prefix func ! (column: Column) -> Condition<Entity> { !column.isTrue }
    /// Both are true.
    public static func && (left: Column, right: Condition<Entity>) -> Condition<Entity> { left.isTrue && right }
    /// Both are true.
    public static func && (left: Condition<Entity>, right: Column) -> Condition<Entity> { left && right.isTrue }
    /// Both are true.
    public static func && (left: Column, right: Column) -> Condition<Entity> { left.isTrue && right.isTrue }
    /// At least one is true.
    public static func || (left: Column, right: Condition<Entity>) -> Condition<Entity> { left.isTrue || right }
    /// At least one is true.
    public static func || (left: Condition<Entity>, right: Column) -> Condition<Entity> { left || right.isTrue }
    /// At least one is true.
    public static func || (left: Column, right: Column) -> Condition<Entity> { left.isTrue || right.isTrue }
}

// MARK: Optionals

extension Column where Value: ExpressibleByNilLiteral {
    /// The property is nil. A struct or a list cannot be compared with `== nil`.
    ///
    /// ```swift
    /// let request = Podcast.all.where { !$0.host.isNil }
    /// ```
    public var isNil: Condition<Entity> { Condition("\(presenceFragment) IS NULL") }
}

// MARK: Options

extension Column where Value: StoredOptions {
    /// The options contain all of `options`.
    ///
    /// ```swift
    /// let request = Podcast.all.where { $0.flags.contains(.muted) }
    /// ```
    public func contains(_ options: Value) -> Condition<Entity> { containing(all: options) }

    /// The options contain none of `options`.
    public func isDisjoint(with options: Value) -> Condition<Entity> {
        Condition("(\(fragment) & \(argument(options))) = 0")
    }
}

extension Column {
    /// The property is not nil, and contains all of `options`.
    public func contains<V: StoredOptions & ColumnEquatable>(_ options: V) -> Condition<Entity> where Value == V? {
        containing(all: options)
    }

    private func containing(all options: some ColumnEquatable) -> Condition<Entity> {
        Condition("(\(fragment) & \(argument(options))) = \(argument(options))")
    }
}

// MARK: JSON

/// A list in one column.
public protocol ColumnList {}
extension Array: ColumnList {}

extension Column where Value: ColumnList {
    /// The number of elements.
    public var count: Column<Entity, Int> { Column<Entity, Int>(computed: "json_array_length(\(fragment))") }
}

extension Column where Value: StoredStruct {
    /// A member of the struct.
    ///
    /// ```swift
    /// let request = Podcast.all.where { $0.host.home.city == "Bonn" }
    /// ```
    public subscript<Member>(
        dynamicMember path: KeyPath<Value.Members, StructMember<Value, Member>>
    ) -> Column<Entity, Member> {
        member(Value.Members()[keyPath: path].path)
    }
}

extension Column {
    /// A member of the struct; nil if the property is nil.
    public subscript<Struct: StoredStruct, Member>(
        dynamicMember path: KeyPath<Struct.Members, StructMember<Struct, Member>>
    ) -> Column<Entity, Member?> where Value == Struct? {
        member(Struct.Members()[keyPath: path].path)
    }

    /// A member of the struct, which may be nil; nil if the property is nil.
    public subscript<Struct: StoredStruct, Member>(
        dynamicMember path: KeyPath<Struct.Members, StructMember<Struct, Member?>>
    ) -> Column<Entity, Member?> where Value == Struct? {
        member(Struct.Members()[keyPath: path].path)
    }

    private func member<Member>(_ path: String) -> Column<Entity, Member> {
        let value: QueryFragment = "json_extract(\(fragment), \(sql: path))"
        // JSON has no infinity, so it is a text there.
        let isReal =
            Member.self is any BinaryFloatingPoint.Type || Member.self == Double?.self || Member.self == Float?.self
        return Column<Entity, Member>(
            computed: isReal
                ? "CASE \(value) WHEN 'inf' THEN 9e999 WHEN '-inf' THEN -9e999 ELSE \(value) END" : value, isJSON: true,
            // With two paths, SQLite copies the text of the member, and does not format numbers.
            json: "json_extract(\(fragment), \(sql: path), \(sql: path))")
    }

    /// The list contains `element`.
    ///
    /// ```swift
    /// let request = Podcast.all.where { $0.languages.contains("de") }
    /// ```
    public func contains<Element: ColumnEquatable & JSONConvertible>(_ element: Element) -> Condition<Entity>
    where Value == [Element] {
        containing(element)
    }

    /// The list is not nil, and contains `element`.
    public func contains<Element: ColumnEquatable & JSONConvertible>(_ element: Element) -> Condition<Entity>
    where Value == [Element]? {
        containing(element)
    }

    /// The list contains an element for which `condition` is true.
    ///
    /// ```swift
    /// let request = Podcast.all.where { $0.languages.contains { $0.hasPrefix("d") } }
    /// ```
    public func contains<Element: JSONConvertible>(
        _ condition: (Column<Entity, Element>) -> Condition<Entity>
    ) -> Condition<Entity> where Value == [Element] {
        elements(of: Element.self) { condition($0).fragment }
    }

    /// The list is not nil, and contains an element for which `condition` is true.
    public func contains<Element: JSONConvertible>(
        _ condition: (Column<Entity, Element>) -> Condition<Entity>
    ) -> Condition<Entity> where Value == [Element]? {
        elements(of: Element.self) { condition($0).fragment }
    }

    private func containing<Element: ColumnEquatable>(_ element: Element) -> Condition<Entity> {
        elements(of: Element.self) { "\($0.fragment) = \($0.argument(element))" }
    }

    private func elements<Element>(of type: Element.Type, _ condition: (Column<Entity, Element>) -> QueryFragment)
        -> Condition<Entity>
    {
        let alias = "e\(fragment.listDepth)"
        var element: QueryFragment = "\(sql: alias).value"
        element.listDepth = fragment.listDepth + 1
        let condition = condition(Column<Entity, Element>(computed: element, isJSON: true))
        var exists: QueryFragment = "EXISTS (SELECT 1 FROM json_each(\(fragment)) AS \(sql: alias) WHERE \(condition))"
        exists.isRelated = true
        return Condition(exists)
    }
}
