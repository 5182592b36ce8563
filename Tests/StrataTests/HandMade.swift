import Foundation
import SQLSchema
import Strata

/// Two versions of tables by hand, and the step between them. Which two versions of a schema they are, `first` says.
enum HandMade: Schema {
    @TaskLocal static var old: [Table] = []
    @TaskLocal static var new: [Table] = []
    @TaskLocal static var changes: [TableChange] = []
    @TaskLocal static var code: (@Sendable (CustomStep) throws -> Void)?
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
        [MigrationStep(from: "\(first)", to: "\(first + 1)", changes: changes, custom: code)]
    }
}

enum OldHandMade: Schema {
    static let name = HandMade.name
    static let fingerprint: UInt64 = 1
    static var versions: [SchemaVersion] { Array(HandMade.versions.prefix(1)) }
    static let steps: [MigrationStep] = []
}

/// Makes a store of the tables `old` with `rows`.
func makeHandMade(at url: URL, _ old: [Table], rows: String) throws {
    var options = StoreOptions()
    options.journal = .delete
    try HandMade.$old.withValue(old) { _ = try Store(at: url, schema: OldHandMade.self, options: options) }
    try Connection(path: url.path, mode: .readWrite).execute(rows)
}

/// Makes a store of the tables `old` with `rows`, migrates it to `new`, and lets `opened` look at it and `check` at its
/// file.
func withStore(
    _ old: [Table], new: [Table]? = nil, rows: String,
    changes: [TableChange] = [.custom(from: "s", to: "s")],
    code: (@Sendable (CustomStep) throws -> Void)? = nil, options: StoreOptions = StoreOptions(),
    check: (URL) throws -> Void, opened: (Store) throws -> Void = { _ in }
) throws {
    try withFile { (url: URL) throws in
        try makeHandMade(at: url, old, rows: rows)
        try HandMade.$old.withValue(old) {
            try HandMade.$new.withValue(new ?? old) {
                try HandMade.$changes.withValue(changes) {
                    try HandMade.$code.withValue(code) {
                        try opened(try Store(at: url, schema: HandMade.self, options: options))
                    }
                }
            }
        }
        try check(url)
    }
}

extension Table {
    /// This table with another name and more lines.
    func named(_ name: String? = nil, _ lines: [String] = []) -> Table {
        Table(name ?? self.name, SchemaText.lines(of: self).dropFirst() + lines, isJoinTable: isJoinTable)
    }
}
