import Foundation
import SQLSchema
import Strata

extension Fixtures {
    /// The versions whose stores apps of an older version can use. In a history of more than ten versions, apps of each version
    /// use only stores of the newest one that they can use, unless `STRATA_PATHS=all` is in the environment.
    public var compatibleVersions: [FixtureVersion] { versions.filter { !users(of: $0).isEmpty } }

    /// Checks that apps of older versions can use stores of a version.
    ///
    /// The structs of the older version read, update, delete and insert rows in a store of `version` and in one of their
    /// own version that has the same rows. Both must show the same to these structs, and an update must change no value
    /// that they do not know. All rows that a fixture of the older version has can be inserted too. Structs whose tables are the
    /// same in both versions are left out.
    ///
    /// - Returns: The failures; empty if there are none.
    public func checkCompatibility(of version: FixtureVersion) throws -> [Failure] {
        var checked: Set<ObjectIdentifier> = []
        var failures: [Failure] = []
        for old in users(of: version) {
            // A struct that several versions share is checked in the oldest one.
            let touched = try touchedTables(from: old, to: version)
            let structs = structs(of: old).filter {
                touched.contains($0.table) && checked.insert(ObjectIdentifier($0.type)).inserted
            }
            if structs.isEmpty { continue }
            failures += try withFolder { folder in
                var check = CompatibilityCheck(self, newer: version, older: old, in: folder)
                return try check.run(structs)
            }
        }
        return failures
    }

    /// The older versions whose apps are checked with stores of a version, oldest first.
    private func users(of version: FixtureVersion) -> [FixtureVersion] {
        guard let last = versions.firstIndex(where: { $0.name == version.name }), let first = firstUser(of: version)
        else {
            return []
        }
        let isLonger = last + 1 < versions.count && !takesAllPaths
        let next = isLonger ? firstUser(of: versions[last + 1]) ?? last : last
        return Array(versions[first..<max(first, min(next, last))])
    }

    /// Returns the index of the oldest version whose apps can use stores of a version.
    private func firstUser(of version: FixtureVersion) -> Int? {
        let oldest = try? schemaVersion(version).compatibleSince
        return versions.firstIndex { $0.name == oldest }
    }

    /// Returns the tables of `old` in whose rows an app of that version could notice that a store has the version `new`: those
    /// that are not the same, and the targets of their foreign keys.
    private func touchedTables(from old: FixtureVersion, to new: FixtureVersion) throws -> Set<String> {
        let before = Dictionary(
            try schemaVersion(old).tables.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let changed = try schemaVersion(new).tables.filter { before[$0.name] != $0 }
        var touched = Set(changed.map(\.name)).union(changed.flatMap { $0.foreignKeys.map(\.target) })
        // A type can change that SQLite does not know, such as the cases of an enum.
        let columns = Dictionary(new.tables.map { ($0.name, $0.columns) }, uniquingKeysWith: { first, _ in first })
        for table in old.tables
        where columns[table.name]?.elementsEqual(table.columns, by: { $0.isRead(like: $1) }) != true {
            touched.insert(table.name)
        }
        return touched
    }

    /// The structs that read the rows of a version. A table whose struct is not generated has none.
    private func structs(of version: FixtureVersion) -> [StructCheck] {
        guard let last = versions.firstIndex(where: { $0.name == version.name }) else { return [] }
        return version.tables.compactMap { table in
            guard let declaring = versions[...last].last(where: { $0.structs.contains { $0.table == table.name } }),
                let declared = declaring.tables.first(where: { $0.name == table.name }),
                declared.columns.count == table.columns.count,
                // The struct of this version may not be generated.
                zip(declared.columns, table.columns).allSatisfy({ $0.isRead(like: $1) })
            else { return nil }
            return declaring.structs.first { $0.table == table.name }
        }
    }
}

extension FixtureColumn {
    /// Returns whether a struct reads the values of both columns in the same way.
    fileprivate func isRead(like other: FixtureColumn) -> Bool {
        guard names == other.names, member == other.member, isNullable == other.isNullable else { return false }
        switch (role, other.role) {
        case (.key(let type), .key(let otherType)), (.value(let type), .value(let otherType)):
            return type.unlimited == otherType.unlimited
        case (.reference(let target, _), .reference(let otherTarget, _)): return target == otherTarget
        case (.position, .position): return true
        default: return false
        }
    }
}

extension ColumnType {
    /// The type without the limits on its values.
    fileprivate var unlimited: ColumnType {
        if case .limited(let type, _) = self { type } else { self }
    }
}

/// The check that apps of one version can use stores of a newer one.
private struct CompatibilityCheck {
    private let fixtures: Fixtures
    private let newer: FixtureVersion
    private let older: FixtureVersion
    private let folder: URL
    private let names: DescribedNames
    private var findings = SummarizedFindings()

    init(_ fixtures: Fixtures, newer: FixtureVersion, older: FixtureVersion, in folder: URL) {
        self.fixtures = fixtures
        self.newer = newer
        self.older = older
        self.folder = folder
        names = DescribedNames(older)
    }

    mutating func run(_ structs: [StructCheck]) throws -> [Failure] {
        let subject = "stores of \(newer.name) of \(fixtures.schema.name), used by apps of \(older.name)"
        do {
            let (new, old) = try databases()
            try open(new)
            for check in structs {
                try use(check.type, new, old)
            }
            try insertAll()
        } catch {
            findings.add("error", "\(error)")
        }
        return findings.texts.map { Failure("\(subject): \($0)") }
    }

    // MARK: Databases

    /// Creates a database of the newer version with rows, and one of the older version that has the same rows, as far as
    /// it has columns for them.
    private func databases() throws -> (new: URL, old: URL) {
        let (new, old) = (folder.appendingPathComponent("new.sqlite"), folder.appendingPathComponent("old.sqlite"))
        try fixtures.create(newer, at: new, withRows: true)
        try fixtures.create(older, at: old, withRows: false)
        let connection = try Connection(path: old.path, mode: .readWrite)
        try connection.execute("PRAGMA foreign_keys = OFF")
        try connection.execute("ATTACH \(SQL.literal(new.path)) AS newer")
        try connection.transaction("BEGIN") {
            for (table, columns) in tables {
                let (name, list) = (SQL.quoted(table), SQL.list(columns.all))
                try connection.execute("INSERT INTO main.\(name) (\(list)) SELECT \(list) FROM newer.\(name)")
            }
        }
        return (new, old)
    }

    /// The tables of the older version, with the columns of their primary keys and all columns.
    private var tables: [(name: String, columns: (key: [String], all: [String]))] {
        (older.tables.map(\.name) + older.joinTables.map(\.name)).map { ($0, older.columns(of: $0)) }
    }

    /// Opens a store of the newer version as an app of the older one does.
    private mutating func open(_ url: URL) throws {
        let known = try SchemaDefinition(fixtures.schema).upTo(older.name)
        do {
            let store = try Store(at: url, definition: known)
            try store.read { _ in }
            if !store.isNewer { findings.add("open", "the store was migrated") }
            try store.close()
        } catch {
            findings.add("open", "the store is refused: \(error)")
        }
    }

    private func connect(_ url: URL) throws -> Connection {
        let connection = try Connection(path: url.path, mode: .readWrite)
        try connection.execute("PRAGMA synchronous = OFF")
        _ = try connection.text("PRAGMA journal_mode = MEMORY")
        try connection.execute("PRAGMA foreign_keys = ON")
        return connection
    }

    /// Runs `body` with connections to copies of both databases.
    private func withCopies<Result>(
        _ new: URL, _ old: URL, _ body: (_ new: Connection, _ old: Connection) throws -> Result
    ) throws -> Result {
        let copies = ["new-copy.sqlite", "old-copy.sqlite"].map(folder.appendingPathComponent)
        for (url, copy) in zip([new, old], copies) { try FileManager.default.copyItem(at: url, to: copy) }
        defer { for copy in copies { try? FileManager.default.removeItem(at: copy) } }
        return try body(try connect(copies[0]), try connect(copies[1]))
    }

    /// Returns a table and all tables that refer to it, directly or through others. A change of its rows can change theirs.
    private func dependents(of table: String) throws -> Set<String> {
        let tables = try fixtures.schemaVersion(older).tables
        var found: Set = [table]
        while case let more = tables.filter({ $0.foreignKeys.contains { found.contains($0.target) } }).map(\.name),
            !found.isSuperset(of: more)
        {
            found.formUnion(more)
        }
        return found
    }

    // MARK: Rows

    private typealias Rows = [[StoredValue]]

    private func rows(_ sql: String, in connection: Connection) throws -> Rows {
        var rows: Rows = []
        try connection.query(sql) { rows.append($0.values.map(StoredValue.init)) }
        return rows
    }

    /// Finds the first table that apps of the older version see differently in the two databases.
    ///
    /// - Parameter part: The tables to compare; nil for all.
    private mutating func compare(
        _ new: Connection, _ old: Connection, _ part: Set<String>? = nil, after action: String
    ) throws {
        for (table, columns) in tables where part?.contains(table) ?? true {
            let sql = "SELECT \(SQL.list(columns.all)) FROM \(SQL.quoted(table)) ORDER BY \(SQL.list(columns.key))"
            guard try rows(sql, in: new) != rows(sql, in: old) else { continue }
            findings.add(
                action, "after \(action), the rows of \(names.entity(table)) are not those of a store of \(older.name)")
            return
        }
    }

    /// Runs `body` in a transaction, and returns its error; nil if it succeeded.
    private func attempt(_ connection: Connection, _ body: (WriteTransaction) throws -> Void) -> String? {
        do {
            try connection.transaction("BEGIN IMMEDIATE") { try body(WriteTransaction(connection)) }
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// Runs `body` with both databases. It must succeed in both or fail in both.
    private mutating func attempt(
        _ action: String, _ new: Connection, _ old: Connection, _ body: (WriteTransaction) throws -> Void
    ) {
        let (error, expected) = (attempt(new, body), attempt(old, body))
        if let error, expected == nil { findings.add(action, "\(action) fails: \(error)") }
        if error == nil, let expected {
            findings.add(action, "\(action) succeeds, but fails in a store of \(older.name): \(expected)")
        }
    }

    /// Reads, updates, deletes and inserts all rows of a table.
    private mutating func use<Entity: StoredEntity>(_ type: Entity.Type, _ new: URL, _ old: URL) throws {
        let table = Entity.table.name
        let entity = names.entity(table)
        let dependents = try dependents(of: table)
        var entities: [Entity] = []
        try withCopies(new, old) { new, old in
            do {
                entities = try ReadTransaction(new).fetch(type)
            } catch {
                findings.add("read", "the rows of \(entity) cannot be read: \(error)")
                return
            }
            if try entities != ReadTransaction(old).fetch(type) {
                findings.add("read", "the rows of \(entity) are read differently")
            }
            let all = "SELECT * FROM \(SQL.quoted(table)) ORDER BY \(SQL.list(Entity.table.key))"
            let before = try rows(all, in: new)
            for row in entities {
                attempt("an update of \(entity)", new, old) { try $0.update(row) }
                attempt("an upsert of \(entity)", new, old) { try $0.upsert(row) }
            }
            if try rows(all, in: new) != before {
                findings.add("update", "an update of \(entity) changes values that the app does not know")
            }
            try compare(new, old, dependents, after: "an update of \(entity)")
        }
        try withCopies(new, old) { new, old in
            // Rows that are deleted with others are seen only while not all are deleted.
            for part in [0, 1] {
                for (index, row) in entities.enumerated() where index % 2 == part {
                    attempt("a deletion from \(entity)", new, old) { try $0.delete(type, id: Entity.id(of: row)) }
                }
                try compare(new, old, dependents, after: "a deletion from \(entity)")
            }
            for row in entities {
                attempt("an insertion into \(entity)", new, old) { try $0.insert(row) }
            }
            try compare(new, old, after: "an insertion into \(entity)")
            for problem in try Fixtures.soundness(of: new, dangling: Fixtures.danglingKeys(of: old).count) {
                findings.add("soundness", problem)
            }
        }
    }

    /// Inserts the rows of a fixture of the older version into an empty store of the newer one.
    private mutating func insertAll() throws {
        let (url, source) = (
            folder.appendingPathComponent("empty.sqlite"), folder.appendingPathComponent("rows.sqlite")
        )
        try fixtures.create(newer, at: url, withRows: false)
        try fixtures.create(older, at: source, withRows: true)
        let connection = try connect(url)
        try connection.execute("ATTACH \(SQL.literal(source.path)) AS older")
        let error = attempt(connection) { _ in
            for (table, columns) in tables {
                let (name, list) = (SQL.quoted(table), SQL.list(columns.all))
                try connection.execute("INSERT INTO main.\(name) (\(list)) SELECT \(list) FROM older.\(name)")
            }
        }
        if let error { findings.add("insert", "rows of \(older.name) cannot be inserted: \(error)") }
    }
}
