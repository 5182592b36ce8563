import SQLSchema

/// What can be done inside `Store.read`: it must not leave the closure.
public class ReadTransaction {
    private let connection: Connection
    private var isEnded = false
    /// Whether one was begun, and not merely what needs none.
    private let isBegun: Bool
    /// What tables are called meanwhile, by their own names; nil outside of a migration.
    private let names: [String: String]?

    package init(_ connection: Connection, names: [String: String]? = nil) {
        self.connection = connection
        self.names = names
        isBegun = connection.isInTransaction
    }

    /// The name of a table, quoted.
    func quoted(_ table: String) -> String {
        SQL.quoted(name(table))
    }

    /// What a table is called.
    func name(_ table: String) -> String {
        names?[table] ?? table
    }

    /// The connection, while the transaction lasts.
    final func open() throws -> Connection {
        if isEnded { throw StoreError.transactionEnded }
        // Without a transaction, each statement would be for good.
        if isBegun, !connection.isInTransaction {
            throw names == nil ? StoreError.rolledBack : MigrationError.rolledBack
        }
        return connection
    }

    /// Checks that the transaction lasts.
    @usableFromInline final func checkOpen() throws { _ = try open() }

    /// Ends what was begun in the transaction: nothing can be read or written by it from now on.
    func end() {
        isEnded = true
        connection.resetStatements()
    }

    /// All rows of an entity, by key.
    @inlinable public final func fetch<Entity: StoredEntity>(_ type: Entity.Type) throws -> [Entity] {
        let statement = try selection(from: Entity.table)
        defer { statement.reset() }
        var entities: [Entity] = []
        while try statement.step() { entities.append(try Entity.read(statement.row)) }
        return entities
    }

    /// A statement for all rows of a table, by key.
    @usableFromInline final func selection(from table: EntityTable) throws -> Statement {
        try open().cached(table.select(from: name(table.name)) + " ORDER BY \(SQL.list(table.key))")
    }

    /// All rows of an entity, by key, one at a time.
    public func cursor<Entity: StoredEntity>(_ type: Entity.Type) throws -> Cursor<Entity> {
        let table = Entity.table
        let statement = try open().prepare(table.select(from: name(table.name)) + " ORDER BY \(SQL.list(table.key))")
        return Cursor(statement, of: self) { try Entity.read($0) }
    }

    /// The number of rows of an entity.
    public func count<Entity: StoredEntity>(_ type: Entity.Type) throws -> Int {
        try open().integer("SELECT count(*) FROM \(quoted(Entity.table.name))") ?? 0
    }

    /// The row whose key is `id`, or nil.
    @inlinable public final func find<Entity: StoredEntity>(_ type: Entity.Type, id: Entity.ID) throws -> Entity? {
        let statement = try finding(in: Entity.table)
        try id.bind(to: statement, at: 1)
        defer { statement.reset() }
        return try statement.step() ? Entity.read(statement.row) : nil
    }

    /// A statement for the row of a table with a key.
    @usableFromInline final func finding(in table: EntityTable) throws -> Statement {
        try open().cached(table.find(in: name(table.name)))
    }
}
