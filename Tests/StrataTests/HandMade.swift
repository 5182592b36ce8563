import Foundation
import Strata

/// Tables by hand, which code migrates and others point at.
enum HandMade: Schema {
    @TaskLocal static var old: [Table] = []
    @TaskLocal static var new: [Table] = []
    @TaskLocal static var changes: [TableChange] = []
    @TaskLocal static var code: (@Sendable (CustomStep) throws -> Void)?
    static let name = "HandMadeSchema"
    static let fingerprint: UInt64 = 2
    static var versions: [SchemaVersion] {
        [
            SchemaVersion("1", fingerprint: 1, tables: old),
            SchemaVersion("2", fingerprint: 2, tables: new),
        ]
    }
    static var steps: [MigrationStep] { [MigrationStep(from: "1", to: "2", changes: changes, custom: code)] }
}

private enum OldHandMade: Schema {
    static let name = "HandMadeSchema"
    static let fingerprint: UInt64 = 1
    static var versions: [SchemaVersion] { Array(HandMade.versions.prefix(1)) }
    static let steps: [MigrationStep] = []
}

/// Makes a store of the tables `old` with `rows`, migrates it to `new`, and lets `check` look at it.
func withStore(
    _ old: [Table], new: [Table]? = nil, rows: String,
    changes: [TableChange] = [.custom(from: "s", to: "s")],
    code: @escaping @Sendable (CustomStep) throws -> Void, options: StoreOptions = StoreOptions(),
    _ check: (URL) throws -> Void
) throws {
    try HandMade.$old.withValue(old) {
        try HandMade.$new.withValue(new ?? old) {
            try HandMade.$changes.withValue(changes) {
                try withFile { (url: URL) throws in
                    _ = try Store(at: url, schema: OldHandMade.self)
                    try Connection(path: url.path, mode: .readWrite).execute(rows)
                    try HandMade.$code.withValue(changes.isEmpty ? nil : code) {
                        _ = try Store(at: url, schema: HandMade.self, options: options)
                    }
                    try check(url)
                }
            }
        }
    }
}
