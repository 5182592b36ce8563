import Foundation
import SQLSchema

extension EntityColumns {
    /// The primary key, if the entity has no property with this name.
    public var id: Column<Entity, Entity.ID> { Column(Entity.table.key) }

    /// The complete row.
    @usableFromInline static var row: Column<Entity, Entity> { Column(completeRowOf: []) }
}

/// The columns of an entity with a member for each property: `$0.title` in a condition on movies is the column of the property
/// `title`.
///
/// A property that an extension of the struct computes has no column: it does not compile in a query or, if it can be set, the
/// query fails.
@dynamicMemberLookup public struct PropertyColumns<Entity: StoredEntity>: EntityColumns {
    /// Creates the columns.
    public init() {}

    /// The column of a property.
    public subscript<Value>(dynamicMember property: WritableKeyPath<Entity, Value>) -> Column<Entity, Value> {
        Entity.table.column(of: property)
    }
}

/// A value of each row of a query: a property of the row or of a related row, or a value that SQL computes from them.
///
/// A property has one column, or the columns of a composite primary key. The members of a struct are members of its column too:
/// `$0.address.city` is the city in the property `address`.
@dynamicMemberLookup public struct Column<Entity: StoredEntity, Value>: Sendable {
    private enum Storage {
        /// The unquoted names of the columns of the entity's own table.
        case stored([String])
        /// SQL, for each of the value's columns.
        case computed([QueryFragment])
    }

    private let storage: Storage
    /// The collations of the columns of the primary key that a foreign key references, with "" for the default; empty if
    /// all have the default.
    let collations: [String]
    /// Whether the value is one that JSON has, such as a member of a struct. SQL has a date, for example, in another form.
    let isJSON: Bool
    /// The column that is NULL if and only if the value is nil; nil for the first one.
    private let presence: QueryFragment?
    /// For a member of a struct, SQL for a JSON list that begins with the exact text of the member. As a value of SQL, a number
    /// may be rounded.
    let json: QueryFragment?

    /// Creates the value of one column, for a member of the columns that is not a property.
    ///
    /// ```swift
    /// extension PropertyColumns<Movie> {
    ///     /// The number by which SQLite finds the row.
    ///     var rowNumber: Column<Movie, Int> { .init("rowid") }
    /// }
    /// ```
    ///
    /// - Parameter name: The unquoted name of the column.
    public init(_ name: String) {
        self.init([name])
    }

    /// Creates a property.
    ///
    /// - Parameters:
    ///   - names: The unquoted names of the columns.
    ///   - collations: The collations of the primary key that a foreign key references, with "" for the default; empty if
    ///     all have the default.
    init(_ names: [String], collations: [String] = []) {
        storage = .stored(names)
        self.collations = collations
        isJSON = false
        (presence, json) = (nil, nil)
    }

    /// Creates a value that SQL computes.
    init(computed fragment: QueryFragment, isJSON: Bool = false, json: QueryFragment? = nil) {
        storage = .computed([fragment])
        collations = []
        self.isJSON = isJSON
        (presence, self.json) = (nil, json)
    }

    /// Creates the property `column` of the row that `links` lead to.
    init<Target, V>(_ column: Column<Target, V>, of links: [ToOneLink]) {
        storage = .computed(column.fragments.map { $0.following(links) })
        collations = column.collations
        isJSON = column.isJSON
        (presence, json) = (column.presence?.following(links), column.json?.following(links))
    }

    /// Creates the complete row that `links` lead to.
    init(completeRowOf links: [ToOneLink]) where Value: StoredEntity {
        self.init(allOf: Value.table, links)
    }

    /// Creates the complete row that `links` lead to, if there is one.
    init<Target: StoredEntity>(completeRowOf links: [ToOneLink]) where Value == Target? {
        self.init(allOf: Target.table, links)
    }

    private init(allOf table: EntityTable, _ links: [ToOneLink]) {
        storage = .computed(table.fetchedColumns.map { QueryFragment(column: $0).following(links) })
        collations = []
        isJSON = false
        // A primary key is never NULL.
        (presence, json) = (QueryFragment(column: table.key[0]).following(links), nil)
    }

    /// The unquoted names of the columns; empty if the value is not stored in the entity's own table.
    var names: [String] { if case .stored(let names) = storage { names } else { [] } }

    /// The SQL of each column of the value.
    var fragments: [QueryFragment] {
        switch storage {
        case .stored(let names): names.map { QueryFragment(column: $0) }
        case .computed(let fragments): fragments
        }
    }

    /// The SQL of the first column.
    var fragment: QueryFragment {
        switch storage {
        case .stored(let names): QueryFragment(column: names[0])
        case .computed(let fragments): fragments[0]
        }
    }

    /// SQL that is NULL if and only if the value is nil, apart from foreign keys of several columns.
    var presenceFragment: QueryFragment { presence ?? fragment }

    /// The SQL of the value, which is a row value if it has several columns.
    var rowValue: QueryFragment { Self.rowValue(fragments) }

    /// `rowValue` with the collations of its comparisons.
    var collatedRowValue: QueryFragment { Self.rowValue(collatedFragments) }

    private static func rowValue(_ fragments: [QueryFragment]) -> QueryFragment {
        fragments.count == 1 ? fragments[0] : "(\(.joined(fragments)))"
    }

    /// The SQL of each column with the collation of its comparisons.
    var collatedFragments: [QueryFragment] {
        collations.isEmpty
            ? fragments : zip(fragments, collations).map { $1.isEmpty ? $0 : "\($0) COLLATE \(sql: $1)" }
    }

    /// The SQL of a value that the column is compared with. The JSON of a value is read by the same functions as the column's,
    /// so that both are rounded alike.
    func argument(_ value: some ColumnEquatable) -> QueryFragment {
        let isInfinite = (value as? any BinaryFloatingPoint)?.isInfinite == true
        guard isJSON, !isInfinite, let value = value as? any JSONConvertible, let json = try? JSONWriter.text(of: value)
        else {
            return "\(value.stored)"
        }
        return "json_extract(\(.text(json)), '$')"
    }

    /// Whether the values are decimal numbers, which SQLite stores as text.
    static var isDecimal: Bool { Value.self == Decimal.self || Value.self == Decimal?.self }

    /// The SQL of each column with the collation of its order.
    var orderedFragments: [QueryFragment] {
        Self.isDecimal ? ["\(fragment) COLLATE \(sql: DecimalFunctions.collation)"] : collatedFragments
    }

    /// The first of `orderedFragments`.
    var orderedFragment: QueryFragment { orderedFragments[0] }
}

extension EntityTable {
    /// Returns the column of a property. If the property is not stored, SQLite refuses the column's name, which says so.
    func column<Entity: StoredEntity, Value>(of property: KeyPath<Entity, Value>) -> Column<Entity, Value> {
        guard let columns = columns(of: property) else {
            return Column("a property of \(Entity.self) that is not stored")
        }
        return Column(columns.names, collations: columns.collations)
    }
}
