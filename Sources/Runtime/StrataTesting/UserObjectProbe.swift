import Foundation
import SQLSchema
import Strata

/// A table, a full-text table, an index, a view and a trigger, like the ones that an app may create in its store.
///
/// A migration must keep these objects, or report the objects that it dropped.
struct UserObjectProbe {
    private static let name = "probe_of_an_app"
    private let url: URL
    private let hasFullText: Bool

    /// Creates the objects in a database of a version.
    init(addedTo url: URL, of version: FixtureVersion) throws {
        self.url = url
        let connection = try Connection(path: url.path, mode: .readWrite)
        hasFullText = try connection.integer("SELECT sqlite_compileoption_used('ENABLE_FTS5')") == 1
        let name = Self.name
        try connection.execute(
            "CREATE TABLE \(name) (a TEXT UNIQUE, b INTEGER); INSERT INTO \(name) VALUES ('kept', 1), ('too', 2)")
        if hasFullText {
            try connection.execute(
                """
                CREATE VIRTUAL TABLE \(name)_text USING fts5 (words);
                INSERT INTO \(name)_text VALUES ('some words of an app')
                """)
        }
        guard let table = version.tables.first, let column = table.columns.first?.names.first else { return }
        let (quoted, own) = (SQL.quoted(table.name), SQL.quoted(column))
        try connection.execute(
            """
            CREATE INDEX \(name)_index ON \(quoted) (\(own) DESC);
            CREATE VIEW \(name)_view AS SELECT \(own) FROM \(quoted);
            CREATE TRIGGER \(name)_trigger AFTER DELETE ON \(quoted) BEGIN DELETE FROM \(name); END
            """)
    }

    /// Removes the objects.
    ///
    /// - Returns: The problems of the objects after a migration.
    func finish(_ report: MigrationReport?) throws -> [String] {
        let connection = try Connection(path: url.path, mode: .readWrite)
        let name = Self.name
        var problems: [String] = []
        let rows = "SELECT group_concat(a || b, ' ') FROM (SELECT * FROM \(name) ORDER BY b)"
        if try connection.text(rows) != "kept1 too2" { problems.append("a table that the app created loses rows") }
        if hasFullText,
            try connection.integer("SELECT count(*) FROM \(name)_text WHERE \(name)_text MATCH 'words'") != 1
        {
            problems.append("a full-text table that the app created loses rows")
        }
        let reported = Set(report?.droppedObjects.map(\.name) ?? [])
        for type in ["index", "view", "trigger"] {
            let object = "\(name)_\(type)"
            let isThere = try connection.integer("SELECT count(*) FROM sqlite_schema WHERE name = '\(object)'") == 1
            if isThere == reported.contains(object) {
                problems.append("the \(type) that the app created is \(isThere ? "kept and" : "lost and not") reported")
            }
            try connection.execute("DROP \(type.uppercased()) IF EXISTS \(object)")
        }
        try connection.execute(
            "DROP TABLE \(name); DROP TABLE IF EXISTS \(name)_text; DROP TABLE IF EXISTS strata_dropped")
        return problems
    }
}
