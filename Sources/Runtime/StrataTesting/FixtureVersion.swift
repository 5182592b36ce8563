import Strata

/// A version of a schema, with the tables, rows and structs of its fixture.
public struct FixtureVersion: Sendable, CustomStringConvertible {
    /// The version's name.
    public let name: String
    let isSealed: Bool
    var fingerprint: UInt64?
    let samples: @Sendable (WriteTransaction) throws -> Void
    let tables: [FixtureTable]
    let joinTables: [FixtureJoinTable]
    /// The structs that this version declares.
    let structs: [StructCheck]
    /// The position of the version that last added or changed a table, by table name.
    let since: [String: Int]

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
