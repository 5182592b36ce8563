import SQLSchema

/// A read transaction. `Store.read` passes it to its closure; it is invalid after the closure has returned.
///
/// ```swift
/// let count = try store.read { transaction in try transaction.count(Movie.self) }
/// ```
public class ReadTransaction {
    private let connection: Connection
    private var isEnded = false
    /// Whether the connection is in a transaction. SQLite may roll one back by itself.
    private let isBegun: Bool
    /// The temporary names of tables during a migration, by their final names; nil outside of a migration.
    private let names: [String: String]?
    /// The error of a transaction that SQLite has rolled back by itself.
    private let rolledBack: any Error
    /// Called before each use of the transaction, during a migration.
    var willUse: (() throws -> Void)?
    /// Called before a custom migration runs its own SQL.
    var willRunSQL: (() throws -> Void)?

    package init(
        _ connection: Connection, names: [String: String]? = nil, rolledBack: any Error = StoreError.rolledBack
    ) {
        self.connection = connection
        self.names = names
        self.rolledBack = rolledBack
        isBegun = connection.isInTransaction
    }

    /// Whether the transaction belongs to a custom migration.
    var isMigrating: Bool { names != nil }

    /// The name of a table, quoted.
    func quoted(_ table: String) -> String {
        SQL.quoted(name(table))
    }

    /// The current name of a table.
    func name(_ table: String) -> String {
        names?[table] ?? table
    }

    /// Returns the connection.
    ///
    /// - Throws: `StoreError.transactionEnded` after the end of the transaction.
    final func open() throws -> Connection {
        if isEnded { throw StoreError.transactionEnded }
        // Without a transaction, each statement would commit by itself.
        if isBegun, !connection.isInTransaction { throw rolledBack }
        try willUse?()
        return connection
    }

    /// Checks that the transaction has not ended.
    @usableFromInline final func checkOpen() throws { _ = try open() }

    /// Ends the transaction. It can read and write nothing more.
    func end() {
        isEnded = true
        connection.resetStatements()
    }

    /// Fetches all rows of an entity, sorted by primary key.
    @inlinable public final func fetch<Entity: StoredEntity>(_ type: Entity.Type) throws -> [Entity] {
        try fetch(Request<Entity>.byKey)
    }

    /// Returns a cursor over all rows of an entity, sorted by primary key. It reads one row at a time.
    ///
    /// ```swift
    /// let cursor = try transaction.cursor(Movie.self)
    /// while let movie = try cursor.next() { print(movie.title) }
    /// ```
    public func cursor<Entity: StoredEntity>(_ type: Entity.Type) throws -> Cursor<Entity> {
        let table = Entity.table
        let statement = try open().prepare(table.select(from: name(table.name)) + " ORDER BY \(SQL.list(table.key))")
        return Cursor(statement, of: self) { try Entity.read($0) }
    }

    /// Counts the rows of an entity.
    public func count<Entity: StoredEntity>(_ type: Entity.Type) throws -> Int {
        try open().integer("SELECT count(*) FROM \(quoted(Entity.table.name))") ?? 0
    }

    /// Fetches the row with the primary key `id`; nil if there is none.
    @inlinable public final func find<Entity: StoredEntity>(_ type: Entity.Type, id: Entity.ID) throws -> Entity? {
        let type = ObjectIdentifier(Entity.self)
        if lookup?.type != type { lookup = (type, try finding(in: Entity.table)) }
        try checkOpen()
        guard let statement = lookup?.statement else { return nil }
        try id.bind(to: statement, at: 1)
        defer { statement.rewind() }
        return try statement.step() ? Entity.read(statement.row) : nil
    }

    /// The statement that found the last row, with the type of that row.
    @exclusivity(unchecked) @usableFromInline final var lookup: (type: ObjectIdentifier, statement: Statement)?

    /// A statement that selects the row with a primary key.
    @usableFromInline final func finding(in table: EntityTable) throws -> Statement {
        try open().cached(table.find(in: name(table.name)))
    }
}
