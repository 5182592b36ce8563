import Foundation
import Strata

/// The draft of the store that a conversion writes. A conversion that was interrupted goes on in its draft, if the other
/// database is unchanged.
final class ConversionDraft {
    let file: DraftFile
    private let source: URL
    private let schema: String
    private let options: StoreOptions
    /// The source and the options that the conversion in the draft depends on, as text; nil if the draft is new.
    private(set) var plan: String?

    /// Creates a draft of the store at `destination`, or goes on with one that was left there.
    ///
    /// - Parameter source: The other database, whose permissions the store has.
    init(of destination: URL, from source: URL, schema: String, _ options: StoreOptions) throws {
        self.source = source
        self.schema = schema
        self.options = options
        var found: String?
        file = try DraftFile(of: destination) { url in
            // A process that is converting has locked its draft.
            let connection = try StoreFile.connect(to: url, .readWrite, options)
            connection.setBusyTimeout(0)
            found = try connection.transaction("BEGIN EXCLUSIVE") {
                try connection.text("SELECT value FROM strata_metadata WHERE key = 'conversion plan'")
            }
            return found != nil
        }
        plan = found
    }

    /// Opens the draft to go on with a conversion, or creates it as a new store.
    ///
    /// - Parameter plan: The source and the options that the conversion depends on, as text.
    /// - Returns: The connection, and the state of the conversion; nil if it begins.
    func open(_ version: SchemaVersion, plan: String) throws -> (connection: Connection, state: ConversionState?) {
        if plan == self.plan {
            let connection = try StoreFile.connect(to: file.url, .readWrite, options)
            try lock(connection)
            let json = try connection.text("SELECT value FROM strata_metadata WHERE key = 'conversion'")
            if let state = try json.map(ConversionState.init) { return (connection, state) }
        }
        let connection = try file.createStore(version, schema: schema, like: source, options)
        try lock(connection)
        try write(plan, as: "conversion plan", to: connection)
        self.plan = plan
        return (connection, nil)
    }

    /// Keeps other processes out of the draft until the connection is closed.
    private func lock(_ connection: Connection) throws {
        try connection.execute("PRAGMA main.locking_mode = EXCLUSIVE")
    }

    /// Writes the state, in the open transaction.
    func write(_ state: ConversionState, to connection: Connection) throws {
        try write(try state.json(), as: "conversion", to: connection)
    }

    private func write(_ text: String, as key: String, to connection: Connection) throws {
        let statement = try connection.cached("INSERT OR REPLACE INTO strata_metadata VALUES (?1, ?2)")
        defer { statement.reset() }
        try statement.bind(key, at: 1)
        try statement.bind(text, at: 2)
        try statement.run()
    }

    /// Removes the state, so that the draft is a store.
    func finish() throws {
        try StoreFile.connect(to: file.url, .readWrite, options).execute(
            "DELETE FROM strata_metadata WHERE key IN ('conversion', 'conversion plan')")
    }
}
