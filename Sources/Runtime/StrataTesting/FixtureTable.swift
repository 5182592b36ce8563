import SQLSchema

/// The type of a column's values.
public enum ColumnType: Hashable, Sendable {
    case int, bool, double, float, string, url, color, date, seconds, milliseconds, data, uuid, decimal
    /// One of these texts: the cases of an enum, or samples of JSON.
    case texts([String])
    /// One of these integers: the bits of an option set.
    case integers([Int])
    /// Values of a type that satisfy limits.
    indirect case limited(ColumnType, [ColumnLimit])
}

/// A column of a fixture's table. A foreign key of several columns is one `FixtureColumn`.
public struct FixtureColumn: Sendable {
    enum Role: Sendable {
        case key(ColumnType)
        case value(ColumnType)
        case reference(to: String, DeleteRule)
        case position
    }

    package let names: [String]
    /// The name of the property in the descriptions.
    let property: String
    let role: Role
    let isNullable: Bool
    let isUnique: Bool
    /// The name of the property in the struct.
    private(set) var member: String

    init(names: [String], property: String, role: Role, isNullable: Bool, isUnique: Bool) {
        self.names = names
        self.property = property
        self.role = role
        self.isNullable = isNullable
        self.isUnique = isUnique
        self.member = names[0]
    }

    /// Returns this column with the name `member` for its property in the struct.
    ///
    /// You need this only if the property is not named like the column.
    public func named(_ member: String) -> FixtureColumn {
        var column = self
        column.member = member
        return column
    }

    /// Returns the column of a primary key that is not a property.
    public static func key(_ name: String, _ type: ColumnType) -> FixtureColumn {
        FixtureColumn(names: [name], property: name, role: .key(type), isNullable: false, isUnique: true)
    }

    /// Returns the column of a property that is not a relationship.
    public static func value(
        _ name: String, _ type: ColumnType, nullable: Bool = false, unique: Bool = false
    ) -> FixtureColumn {
        FixtureColumn(names: [name], property: name, role: .value(type), isNullable: nullable, isUnique: unique)
    }

    /// Returns the foreign key to the table `target`. It has one column for each column of the target's primary key.
    public static func reference(
        _ property: String, _ names: [String], to target: String, onDelete rule: DeleteRule = .nullify,
        nullable: Bool = false, unique: Bool = false
    ) -> FixtureColumn {
        FixtureColumn(
            names: names, property: property, role: .reference(to: target, rule), isNullable: nullable, isUnique: unique
        )
    }

    /// Returns the column with the position of a row among the rows that `property` relates to the same row.
    public static func position(_ property: String, _ name: String) -> FixtureColumn {
        FixtureColumn(names: [name], property: property, role: .position, isNullable: true, isUnique: false)
    }
}

/// A condition that each row of a table satisfies.
public struct FixtureCheck: Hashable, Sendable {
    let name: String
    let columns: [String]
    let condition: String

    /// Creates a check.
    ///
    /// - Parameters:
    ///   - name: The name of the constraint.
    ///   - columns: The names of the columns in the condition.
    ///   - condition: The SQL of the condition.
    public init(_ name: String, on columns: [String], _ condition: String) {
        self.name = name
        self.columns = columns
        self.condition = condition
    }
}

/// A column that SQLite computes from the other columns of the row.
public struct FixtureComputedColumn: Hashable, Sendable {
    let name: String
    /// The name of the property in the descriptions.
    let property: String
    /// The name of the property in the struct.
    let member: String
    let storage: String
    let value: String

    /// Creates a computed column.
    ///
    /// - Parameters:
    ///   - name: The name of the column.
    ///   - property: The name of the property in the descriptions.
    ///   - member: The name of the property in the struct.
    ///   - storage: The type in SQL to which the value is converted.
    ///   - value: The SQL of the value.
    public init(_ name: String, of property: String, as member: String, _ storage: String, _ value: String) {
        self.name = name
        self.property = property
        self.member = member
        self.storage = storage
        self.value = value
    }

    /// The SQL of the converted value.
    var sql: String { "CAST(\(value) AS \(storage))" }
}

/// The columns of a table whose texts can be searched.
public struct FixtureSearch: Hashable, Sendable {
    let columns: [String]
    let tokenizer: String

    /// Creates the search of a table.
    ///
    /// - Parameters:
    ///   - columns: The names of the columns; empty if the table is not searched.
    ///   - tokenizer: The name of the tokenizer in the descriptions.
    public init(_ columns: [String], tokenizer: String = "") {
        self.columns = columns
        self.tokenizer = tokenizer
    }
}

/// The table of an entity in a fixture.
public struct FixtureTable: Sendable {
    package let name: String
    /// The name of the entity in the descriptions.
    package let entity: String
    package let key: [String]
    package let columns: [FixtureColumn]
    let computed: [FixtureComputedColumn]
    let indexes: [FixtureIndex]
    let checks: [FixtureCheck]
    let search: FixtureSearch

    /// Creates a table.
    ///
    /// - Parameters:
    ///   - name: The name of the table.
    ///   - entity: The name of the entity in the descriptions; nil if it is the table's name.
    ///   - key: The columns of the primary key; nil if the primary key is the first element of `columns`.
    ///   - columns: The stored columns.
    ///   - computed: The computed columns.
    ///   - indexes: The indexes.
    ///   - checks: The conditions that each row satisfies.
    ///   - search: The columns whose texts can be searched.
    public init(
        _ name: String, of entity: String? = nil, key: [String]? = nil, columns: [FixtureColumn],
        computed: [FixtureComputedColumn] = [], indexes: [FixtureIndex] = [], checks: [FixtureCheck] = [],
        search: FixtureSearch = FixtureSearch([])
    ) {
        self.name = name
        self.search = search
        self.checks = checks
        self.indexes = indexes
        self.entity = entity ?? name
        self.key = key ?? columns.first?.names ?? []
        self.columns = columns
        self.computed = computed
    }

    /// Returns this table with other parts.
    private func with(
        name: String? = nil, entity: String? = nil, key: [String]? = nil, columns: [FixtureColumn]? = nil,
        computed: [FixtureComputedColumn]? = nil, indexes: [FixtureIndex]? = nil, checks: [FixtureCheck]? = nil,
        search: FixtureSearch? = nil
    ) -> FixtureTable {
        FixtureTable(
            name ?? self.name, of: entity ?? self.entity, key: key ?? self.key, columns: columns ?? self.columns,
            computed: computed ?? self.computed, indexes: indexes ?? self.indexes, checks: checks ?? self.checks,
            search: search ?? self.search)
    }

    /// Returns this table with another name.
    ///
    /// - Parameters:
    ///   - name: The name of the table.
    ///   - entity: The name of the entity in the descriptions; nil if it is the table's name.
    public func renamed(_ name: String, of entity: String? = nil) -> FixtureTable {
        with(name: name, entity: entity ?? name)
    }

    /// Returns this table with another primary key.
    public func key(_ columns: [String]) -> FixtureTable { with(key: columns) }

    /// Returns this table without a column.
    ///
    /// - Parameter name: The name of the column, or of the first column of a foreign key.
    public func removing(_ name: String) -> FixtureTable { with(columns: columns.filter { $0.names[0] != name }) }

    /// Returns this table with another column instead of that of the same name.
    public func changing(_ column: FixtureColumn) -> FixtureTable {
        with(columns: columns.map { $0.names[0] == column.names[0] ? column : $0 })
    }

    /// Returns this table with one more column.
    ///
    /// - Parameters:
    ///   - column: The column.
    ///   - previous: The name of the column before it; nil if it is the first one.
    public func adding(_ column: FixtureColumn, after previous: String?) -> FixtureTable {
        let index = columns.firstIndex { $0.names[0] == previous }.map { $0 + 1 } ?? 0
        var columns = columns
        columns.insert(column, at: index)
        return with(columns: columns)
    }

    /// Returns this table with other computed columns.
    public func computed(_ columns: [FixtureComputedColumn]) -> FixtureTable { with(computed: columns) }

    /// Returns this table with other indexes.
    public func indexes(_ indexes: [FixtureIndex]) -> FixtureTable { with(indexes: indexes) }

    /// Returns this table with other checks.
    public func checks(_ checks: [FixtureCheck]) -> FixtureTable { with(checks: checks) }

    /// Returns this table with another search.
    public func search(_ search: FixtureSearch) -> FixtureTable { with(search: search) }

    /// The columns of the primary key, most significant first.
    var keyColumns: [FixtureColumn] {
        var columns: [FixtureColumn] = []
        for name in key where !columns.contains(where: { $0.names.contains(name) }) {
            columns += self.columns.filter { $0.names.contains(name) }
        }
        return columns
    }
}

/// A join table in a fixture.
public struct FixtureJoinTable: Sendable {
    package let name: String
    /// The relationship that the table stores.
    let property: String
    let source: String
    let target: String
    let columns: [String]
    /// The number of columns with the primary key of the target. They are the last of `columns`.
    let targetCount: Int
    /// Whether a row of `source` may refer to a row of `target` several times.
    let hasDuplicates: Bool
    /// Whether the rows of `source` have an order at each row of `target`.
    let hasOrderedInverse: Bool

    /// Creates a join table.
    ///
    /// - Parameters:
    ///   - name: The name of the table.
    ///   - property: The relationship that the table stores.
    ///   - source: The table that has the relationship.
    ///   - target: The table that the relationship refers to.
    ///   - sources: The columns with the primary key of `source`.
    ///   - targets: The columns with the primary key of `target`.
    ///   - hasDuplicates: Whether a row of `source` may refer to a row of `target` several times.
    ///   - hasOrderedInverse: Whether the rows of `source` have an order at each row of `target`.
    public init(
        _ name: String, of property: String, from source: String, to target: String,
        columns sources: [String] = ["source_id"], _ targets: [String] = ["target_id"],
        duplicates hasDuplicates: Bool = false, orderedInverse hasOrderedInverse: Bool = false
    ) {
        self.name = name
        self.property = property
        self.source = source
        self.target = target
        self.columns = sources + targets
        self.targetCount = targets.count
        self.hasDuplicates = hasDuplicates
        self.hasOrderedInverse = hasOrderedInverse
    }

    /// The entity that has the relationship.
    var entity: String { String(property.prefix { $0 != "." }) }

    /// The columns of the primary key.
    var key: [String] { columns + (hasDuplicates ? [Table.position] : []) }

    /// All columns.
    package var allColumns: [String] {
        columns + [Table.position] + (hasOrderedInverse ? [Table.inversePosition] : [])
    }
}
