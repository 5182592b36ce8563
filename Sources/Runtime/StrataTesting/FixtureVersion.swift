import Strata

/// A version of a schema, with the tables, rows and structs of its fixture.
public struct FixtureVersion: Sendable, CustomStringConvertible {
    /// The version's name.
    public let name: String
    let isSealed: Bool
    var fingerprint: UInt64?
    let samples: @Sendable (WriteTransaction) throws -> Void
    /// The tables of the entities.
    package let tables: [FixtureTable]
    package let joinTables: [FixtureJoinTable]
    /// The structs that this version declares.
    let structs: [StructCheck]
    /// The position of the version that last added or changed a table, by table name.
    let since: [String: Int]

    /// A table of either kind.
    enum AnyTable {
        case entity(FixtureTable)
        case join(FixtureJoinTable)

        var name: String {
            switch self {
            case .entity(let table): table.name
            case .join(let table): table.name
            }
        }
    }

    init(
        name: String, isSealed: Bool, fingerprint: UInt64?,
        samples: @escaping @Sendable (WriteTransaction) throws -> Void,
        tables: [AnyTable], structs: [StructCheck], since: [String: Int]
    ) {
        self.name = name
        self.isSealed = isSealed
        self.fingerprint = fingerprint
        self.samples = samples
        self.tables = tables.compactMap { if case .entity(let table) = $0 { table } else { nil } }
        joinTables = tables.compactMap { if case .join(let table) = $0 { table } else { nil } }
        self.structs = structs
        self.since = since
    }

    /// The version's name.
    public var description: String { name }

    /// Returns the columns of a table's primary key, and all columns of the table.
    func columns(of name: String) -> (key: [String], all: [String]) {
        if let table = tables.first(where: { $0.name == name }) {
            return (table.key, table.columns.flatMap(\.names))
        }
        let join = joinTables.first { $0.name == name }
        return (join?.key ?? [], join?.allColumns ?? [])
    }
}
