/// The types that a column's values may have.
public enum ColumnType: Sendable {
    case int, bool, double, float, string, url, color, date, seconds, milliseconds, data, uuid, decimal
    /// One of these texts: the values of an enum's cases, or JSON.
    case texts([String])
    /// One of these numbers: the bits of options.
    case integers([Int])
}

/// A column of a fixture's table: what decides which values it is given.
public struct FixtureColumn: Sendable {
    enum Role: Sendable {
        case key(ColumnType)
        case value(ColumnType)
        case reference(to: String)
        case position
    }

    let name: String
    let role: Role
    let isNullable: Bool
    let isUnique: Bool

    /// The key.
    public static func key(_ name: String, _ type: ColumnType) -> FixtureColumn {
        FixtureColumn(name: name, role: .key(type), isNullable: false, isUnique: true)
    }

    /// An attribute.
    public static func value(
        _ name: String, _ type: ColumnType, nullable: Bool = false, unique: Bool = false
    ) -> FixtureColumn {
        FixtureColumn(name: name, role: .value(type), isNullable: nullable, isUnique: unique)
    }

    /// A foreign key to the table `target`.
    public static func reference(
        _ name: String, to target: String, nullable: Bool = false, unique: Bool = false
    ) -> FixtureColumn {
        FixtureColumn(name: name, role: .reference(to: target), isNullable: nullable, isUnique: unique)
    }

    /// The row's place in an ordered relationship.
    public static func position(_ name: String) -> FixtureColumn {
        FixtureColumn(name: name, role: .position, isNullable: true, isUnique: false)
    }
}

/// The table of an entity in a fixture.
public struct FixtureTable: Sendable {
    let name: String
    let columns: [FixtureColumn]

    /// A table of these columns, the key first.
    public init(_ name: String, columns: [FixtureColumn]) {
        self.name = name
        self.columns = columns
    }
}

/// A join table in a fixture.
public struct FixtureJoinTable: Sendable {
    let name: String
    let source: String
    let target: String

    /// A join table between the tables `source` and `target`.
    public init(_ name: String, from source: String, to target: String) {
        self.name = name
        self.source = source
        self.target = target
    }
}
