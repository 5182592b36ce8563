import SQLSchema

/// A generated struct: a row of a table.
public protocol StoredEntity: MigratedRow, Selectable, Hashable, Sendable {
    /// The columns for conditions and orders, with one property for each.
    associatedtype Columns: EntityColumns<Self> = NoColumns<Self>
    /// The relationships that `related(_:_:)` reads, with one property for each.
    associatedtype Relationships: EntityRelationships = NoRelationships
    /// The table's name and columns.
    static var table: EntityTable { get }
    /// Returns the primary key of `entity`.
    static func id(of entity: Self) -> ID
    /// Creates the entity from a row with the table's stored columns in their order, and then the computed ones.
    init(row: Row) throws
    /// Binds the values of all stored columns in their order, starting with parameter 1.
    func bind(to statement: Statement) throws
}

/// The relationships of an entity, with one property for each. Strata generates the conformances.
public protocol EntityRelationships: Sendable {
    /// Creates the relationships.
    init()
}

/// The relationships of an entity without relationships.
public struct NoRelationships: EntityRelationships {
    /// Creates no relationships.
    public init() {}
}

/// The table of an entity.
public struct EntityTable: Sendable {
    /// The unquoted name of the table.
    public var name: String { facts.name }
    /// The unquoted names of the primary key's columns, most significant first.
    public var key: [String] { facts.key }
    /// The unquoted names of all stored columns, in the order of `init(row:)` and `bind(to:)`.
    public var columns: [String] { facts.columns }
    /// The unquoted names of the columns that SQLite computes, in the order of `init(row:)`, after the stored ones.
    public var computed: [String] { facts.computed }
    /// The collations of the primary key's columns, with "" for the default; empty if all have the default. Foreign keys are
    /// compared by them (https://sqlite.org/foreignkeys.html#fk_schemacommands), although their columns have the default.
    var keyCollations: [String] { facts.keyCollations }
    /// The names of all columns, in the order of `init(row:)`.
    @usableFromInline var fetchedColumns: [String] { facts.fetchedColumns }
    /// The orders of the lists that the rows are in.
    var orders: [ListOrder] { facts.orders }
    /// Whether the rows are in ordered lists.
    @usableFromInline var isOrdered: Bool { facts.isOrdered }

    /// One object, so that a table is copied in one step.
    @usableFromInline let facts: Facts

    @usableFromInline final class Facts: Sendable {
        let name: String
        let key: [String]
        let keyCollations: [String]
        let columns: [String]
        let computed: [String]
        let fetchedColumns: [String]
        let orders: [ListOrder]
        @usableFromInline let isOrdered: Bool
        /// The columns of each property; empty for a superseded struct.
        let properties: StoredProperties
        /// An `EntityComparison` of the stored properties; nil if these are not known.
        @usableFromInline let comparison: (any AnyObject & Sendable)?
        let insert: String
        let select: String
        let find: String

        init(
            _ name: String, _ key: [String], _ columns: [String], _ computed: [String], _ keyCollations: [String],
            _ orders: [ListOrder], _ properties: StoredProperties, _ comparison: (any AnyObject & Sendable)?
        ) {
            (self.name, self.key, self.keyCollations) = (name, key, keyCollations)
            (self.columns, self.computed, fetchedColumns) = (columns, computed, columns + computed)
            (self.properties, self.comparison) = (properties, comparison)
            (self.orders, isOrdered) = (orders, !orders.isEmpty)
            insert = EntityTable.insert(into: name, columns: columns, orders)
            select = EntityTable.select(from: name, columns: fetchedColumns)
            find = select + " WHERE " + SQL.matches(key)
        }
    }

    /// Creates the description of a table whose rows are not queried by their properties.
    ///
    /// - Parameters:
    ///   - name: The unquoted name.
    ///   - key: The names of the primary key's columns, most significant first.
    ///   - columns: The names of all columns, in the order of `init(row:)` and `bind(to:)`.
    ///   - keyCollations: The collations of the primary key's columns, with "" for the default; empty if all have the default.
    public init(_ name: String, key: [String], columns: [String], keyCollations: [String] = []) {
        facts = Facts(name, key, columns, [], keyCollations, [], StoredProperties(), nil)
    }

    /// Creates the description of a table.
    ///
    /// - Parameters:
    ///   - entity: The struct of a row.
    ///   - name: The unquoted name.
    ///   - key: The names of the primary key's columns, most significant first.
    ///   - columns: The names of all stored columns, in the order of `init(row:)` and `bind(to:)`, each with the property that
    ///     it stores. A property with several columns is a primary key or a foreign key.
    ///   - computed: The names of the columns that SQLite computes, in the order of `init(row:)`.
    ///   - keyCollations: The collations of the primary key's columns, with "" for the default; empty if all have the default.
    ///   - collations: The collations of the primary keys that foreign keys reference, by the columns of the foreign keys.
    ///     SQLite accepts a foreign key by this collation, but its column does not have it.
    ///   - positions: The columns with positions in ordered relationships, each with the columns of its foreign key.
    public init<Entity: StoredEntity>(
        _ entity: Entity.Type, _ name: String, key: [String],
        columns: KeyValuePairs<String, PartialKeyPath<Entity> & Sendable>, computed: [String] = [],
        keyCollations: [String] = [], collations: [String: String] = [:],
        positions: KeyValuePairs<String, [String]> = [:]
    ) {
        var properties = StoredProperties()
        for (column, property) in columns { properties.add(column, of: property, collation: collations[column]) }
        let names = columns.map(\.key)
        let orders = positions.enumerated().compactMap { index, order in
            ListOrder(order.key, order.value, in: names, collations: collations, index: index)
        }
        facts = Facts(
            name, key, names, computed, keyCollations, orders, properties, EntityComparison(columns.map(\.value)))
    }

    /// Whether the stored properties of two rows of the table are equal. Of a table without properties, these are found by
    /// reflection, which is slow.
    @inlinable func areEqual<Entity: StoredEntity>(_ left: Entity, _ right: Entity) -> Bool {
        // A cast with `as?` takes longer than the comparison.
        if let comparison = facts.comparison, type(of: comparison) == EntityComparison<Entity>.self {
            return unsafeDowncast(comparison, to: EntityComparison<Entity>.self).areEqual(left, right)
        }
        return Self.areReflectionsEqual(left, right)
    }

    @usableFromInline static func areReflectionsEqual(_ left: Any, _ right: Any) -> Bool {
        let values = zip(Mirror(reflecting: left).children, Mirror(reflecting: right).children)
        return values.allSatisfy { left, right in
            guard let left = left.value as? any Equatable else { return false }
            return left.isSame(as: right.value)
        }
    }

    /// Returns the names of a property's columns, with the collations of what they reference; nil if it is not stored.
    func columns(of property: AnyKeyPath) -> (names: [String], collations: [String])? {
        facts.properties.columns(of: property)
    }

    func insert(into table: String) -> String {
        table == name ? facts.insert : Self.insert(into: table, columns: columns, orders)
    }

    /// A statement that inserts the rows of a `RowFeed`.
    func insertRows(into table: String, _ clause: String) -> String {
        let values = columns.indices.map { "v\($0)" }.joined(separator: ", ")
        return "\(Self.insertion(into: table)) (\(SQL.list(columns))) SELECT \(values) FROM strata_rows(?1)"
            // Without WHERE, ON would begin a condition of the FROM clause.
            + (clause.isEmpty ? "" : " WHERE 1 " + clause)
    }

    func select(from table: String) -> String {
        table == name ? facts.select : Self.select(from: table, columns: fetchedColumns)
    }

    func find(in table: String) -> String {
        table == name ? facts.find : select(from: table) + " WHERE " + SQL.matches(key)
    }

    fileprivate static func insert(into table: String, columns: [String], _ orders: [ListOrder]) -> String {
        let values = columns.enumerated().map { index, column in
            orders.first { $0.position == column }?.inserted ?? "?\(index + 1)"
        }
        return "\(insertion(into: table)) (\(SQL.list(columns))) VALUES (\(values.joined(separator: ", ")))"
    }

    /// The table has another name in the statement, because the name `excluded` means the new row in `ON CONFLICT`.
    private static func insertion(into table: String) -> String { "INSERT INTO \(SQL.quoted(table)) AS strata_row" }

    fileprivate static func select(from table: String, columns: [String]) -> String {
        "SELECT \(SQL.list(columns)) FROM \(SQL.quoted(table))"
    }
}

extension SQL {
    /// Columns, each with its collation if it does not have the default.
    static func collated(_ columns: [String], _ collations: [String]) -> [String] {
        collations.isEmpty
            ? columns : zip(columns, collations).map { $1.isEmpty ? $0 : "\($0) COLLATE \($1)" }
    }

    /// The condition that `columns` equal the parameters from `first` on, compared with `collations`.
    static func matches(_ columns: [String], from first: Int = 1, collations: [String] = []) -> String {
        collated(columns.map(quoted), collations).enumerated().map { "\($1) = ?\(first + $0)" }
            .joined(separator: " AND ")
    }

    /// The SQL of `count` parameters from `first` on.
    package static func parameters(_ count: Int, from first: Int = 1) -> String {
        (first..<(first + count)).map { "?\($0)" }.joined(separator: ", ")
    }
}

extension StoredEntity where Self: Identifiable {
    /// Returns `id`, the primary key.
    @inlinable public static func id(of entity: Self) -> ID { entity.id }
}

extension StoredEntity {
    /// Whether all stored values are equal. Texts are compared byte by byte, as SQLite does.
    @inlinable public static func == (left: Self, right: Self) -> Bool { table.areEqual(left, right) }

    /// Hashes the primary key.
    @inlinable public func hash(into hasher: inout Hasher) {
        hasher.combine(Self.id(of: self))
    }

    /// Reads an entity. The error for a malformed value names the table.
    @inlinable static func read(_ row: Row) throws -> Self {
        do {
            return try Self(row: row)
        } catch let error as MalformedValue {
            throw error.named(table.name)
        }
    }

    /// Binds all values. The error for a value that cannot be stored names the column.
    @inlinable func write(to statement: Statement) throws {
        do {
            try bind(to: statement)
        } catch let error as UnstorableValue {
            throw error.named(Self.table.name, Self.table.columns)
        }
    }
}

extension StoredEntity {
    /// The number of the table's columns.
    public static var columnCount: Int { table.fetchedColumns.count }

    /// Reads a complete row from the columns of a query.
    public init(row: Row, at index: Int) throws {
        if index == 0 {
            self = try Self.read(row)
        } else {
            let columns = ColumnRange(row, from: index, Self.table.fetchedColumns)
            self = try withExtendedLifetime(columns) { try Self.read(Row(nil, Unmanaged.passUnretained(columns))) }
        }
    }

    /// Returns whether the query found no row here: then its primary key is NULL.
    public static func isMissing(in row: Row, at index: Int) -> Bool {
        row.isNull(index + (table.fetchedColumns.firstIndex(of: table.key[0]) ?? 0))
    }
}

/// The columns of a row from an index on.
private final class ColumnRange: RowSource {
    private let row: Row
    private let first: Int

    init(_ row: Row, from first: Int, _ names: [String]) {
        (self.row, self.first) = (row, first)
        super.init(names)
    }

    override func cell(_ index: Int) -> OpaquePointer? {
        names.indices.contains(index) ? row.cell(first + index) : nil
    }
}
