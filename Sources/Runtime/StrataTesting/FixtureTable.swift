/// The types that a column's values may have.
public enum ColumnType: Hashable, Sendable {
    case int, bool, double, float, string, url, color, date, seconds, milliseconds, data, uuid, decimal
    /// One of these texts: the values of an enum's cases, or JSON.
    case texts([String])
    /// One of these numbers: the bits of options.
    case integers([Int])
}

/// A column of a fixture's table, or several that are given their values together.
public struct FixtureColumn: Sendable {
    enum Role: Sendable {
        case key(ColumnType)
        case value(ColumnType)
        case reference(to: String, DeleteRule)
        case position
    }

    let names: [String]
    /// The name in the descriptions.
    let property: String
    let role: Role
    let isNullable: Bool
    let isUnique: Bool
    /// The name of its property in the struct.
    private(set) var member: String

    init(names: [String], property: String, role: Role, isNullable: Bool, isUnique: Bool) {
        self.names = names
        self.property = property
        self.role = role
        self.isNullable = isNullable
        self.isUnique = isUnique
        self.member = names[0]
    }

    /// The column, which is called `member` in the struct. Only a name other than the column's must be stated.
    public func named(_ member: String) -> FixtureColumn {
        var column = self
        column.member = member
        return column
    }

    /// A primary key that is not a property.
    public static func key(_ name: String, _ type: ColumnType) -> FixtureColumn {
        FixtureColumn(names: [name], property: name, role: .key(type), isNullable: false, isUnique: true)
    }

    /// An attribute.
    public static func value(
        _ name: String, _ type: ColumnType, nullable: Bool = false, unique: Bool = false
    ) -> FixtureColumn {
        FixtureColumn(names: [name], property: name, role: .value(type), isNullable: nullable, isUnique: unique)
    }

    /// A foreign key to the table `target`: a column for each of the target's key.
    public static func reference(
        _ property: String, _ names: [String], to target: String, onDelete rule: DeleteRule = .nullify,
        nullable: Bool = false, unique: Bool = false
    ) -> FixtureColumn {
        FixtureColumn(
            names: names, property: property, role: .reference(to: target, rule), isNullable: nullable, isUnique: unique
        )
    }

    /// The position of a row among the rows that are related to the same row by `property`.
    public static func position(_ property: String, _ name: String) -> FixtureColumn {
        FixtureColumn(names: [name], property: property, role: .position, isNullable: true, isUnique: false)
    }
}

/// The table of an entity in a fixture.
public struct FixtureTable: Sendable {
    let name: String
    /// The name in the descriptions.
    let entity: String
    let key: [String]
    let columns: [FixtureColumn]
    let indexes: [FixtureIndex]

    /// A table of these columns; without a `key`, the first column is it.
    public init(
        _ name: String, of entity: String? = nil, key: [String]? = nil, columns: [FixtureColumn],
        indexes: [FixtureIndex] = []
    ) {
        self.name = name
        self.indexes = indexes
        self.entity = entity ?? name
        self.key = key ?? columns.first?.names ?? []
        self.columns = columns
    }

    /// A table that differs from this one in its name, its key, some columns or some indexes.
    ///
    /// - Parameters:
    ///   - name: The new name; nil if it is unchanged.
    ///   - entity: The new name in the descriptions; nil if it is the table's name.
    ///   - key: The new primary key; nil if it is unchanged.
    ///   - removing: The positions of the removed columns.
    ///   - adding: New columns by their positions in the result.
    ///   - indexes: All indexes of the result; nil if they are unchanged.
    public func changed(
        _ name: String? = nil, of entity: String? = nil, key: [String]? = nil, removing: [Int] = [],
        adding: [Int: FixtureColumn] = [:], indexes: [FixtureIndex]? = nil
    ) -> FixtureTable {
        FixtureTable(
            name ?? self.name, of: entity ?? (name == nil ? self.entity : nil), key: key ?? self.key,
            columns: columns.changed(removing: removing, adding: adding), indexes: indexes ?? self.indexes)
    }

    /// The columns that the key is made of, most significant first.
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
    let name: String
    /// The relationship whose pairs it has.
    let property: String
    let source: String
    let target: String
    let columns: [String]
    /// How many of the columns, the last ones, are those of the target's key.
    let targetCount: Int

    /// A join table between the tables `source` and `target`, with the keys of both in these columns.
    public init(
        _ name: String, of property: String, from source: String, to target: String,
        columns sources: [String] = ["source_id"], _ targets: [String] = ["target_id"]
    ) {
        self.name = name
        self.property = property
        self.source = source
        self.target = target
        self.columns = sources + targets
        self.targetCount = targets.count
    }
}
