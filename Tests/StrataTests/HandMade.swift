import Foundation
import SQLSchema
import Strata

/// Two versions with tables written by hand, and the migration step between them. `first` is the number of the older
/// version.
enum HandMade: Schema {
    @TaskLocal static var old: [Table] = []
    @TaskLocal static var new: [Table] = []
    @TaskLocal static var changes: [TableChange] = []
    @TaskLocal static var code: (@Sendable (CustomStep) throws -> Void)?
    /// Passes the rows to a custom migration that can go on after an interruption; nil if `code` is everything.
    @TaskLocal static var rowCode: (@Sendable (CustomStep) throws -> Void)?
    /// Runs at the end of the custom migration.
    @TaskLocal static var didMigrate: (@Sendable (MigrationContext) throws -> Void)?
    @TaskLocal static var first: UInt64 = 1
    static let name = "HandMadeSchema"
    static var fingerprint: UInt64 { first + 1 }
    static var versions: [SchemaVersion] {
        [
            SchemaVersion("\(first)", fingerprint: first, tables: old),
            SchemaVersion("\(first + 1)", fingerprint: first + 1, tables: new),
        ]
    }
    static var steps: [MigrationStep] {
        let (from, to) = ("\(first)", "\(first + 1)")
        guard let rowCode else { return [MigrationStep(from: from, to: to, changes: changes, custom: code)] }
        return [MigrationStep(from: from, to: to, changes: changes, code: Code.self) { step, _ in try rowCode(step) }]
    }

    private struct Code: CustomMigration {
        init() {}
        func didMigrate(_ context: MigrationContext) throws { try HandMade.didMigrate?(context) }
    }
}

enum OldHandMade: Schema {
    static let name = HandMade.name
    static let fingerprint: UInt64 = 1
    static var versions: [SchemaVersion] { Array(HandMade.versions.prefix(1)) }
    static let steps: [MigrationStep] = []
}

/// Creates a store with the tables `old`, and runs the SQL `rows` in it.
func makeHandMade(at url: URL, _ old: [Table], rows: String) throws {
    var options = StoreOptions()
    options.journal = .delete
    try HandMade.$old.withValue(old) { _ = try Store(at: url, schema: OldHandMade.self, options: options) }
    try Connection(path: url.path, mode: .readWrite).execute(rows)
}

/// Creates a store with the tables `old`, runs the SQL `rows` in it, and migrates it to the tables `new`. Then `opened`
/// checks the store, and `check` checks its file.
func withStore(
    _ old: [Table], new: [Table]? = nil, rows: String,
    changes: [TableChange] = [.custom(from: "s", to: "s")],
    code: (@Sendable (CustomStep) throws -> Void)? = nil, rowCode: (@Sendable (CustomStep) throws -> Void)? = nil,
    options: StoreOptions = StoreOptions(),
    check: (URL) throws -> Void, opened: (Store) throws -> Void = { _ in }
) throws {
    try withFile { (url: URL) throws in
        try makeHandMade(at: url, old, rows: rows)
        try HandMade.$old.withValue(old) {
            try HandMade.$new.withValue(new ?? old) {
                try HandMade.$changes.withValue(changes) {
                    try HandMade.$code.withValue(code) {
                        try HandMade.$rowCode.withValue(rowCode) {
                            try opened(try Store(at: url, schema: HandMade.self, options: options))
                        }
                    }
                }
            }
        }
        try check(url)
    }
}

/// The context of a custom migration that is written by hand.
typealias MigrationContext = Strata.MigrationContext<Never, Never>

extension CustomMigration {
    typealias Context = MigrationContext
}

extension CustomStep {
    /// The context that the functions of a custom migration receive.
    var context: MigrationContext { MigrationContext(access) }
}

extension Table {
    /// A copy of this table with another name and additional lines.
    func named(_ name: String? = nil, _ lines: [String] = []) -> Table {
        Table(name ?? self.name, SchemaText.lines(of: self).dropFirst() + lines, isJoinTable: isJoinTable)
    }
}
