import ChainSchema
import Foundation
import Strata

// Opens the store at the first path, as an app does, and prints a word when it is open. With a second path, it first makes a
// backup there, or, after `copy`, writes the migrated store there and leaves the first one alone. After `convert`, the first
// file is a database that SQLite wrote for another app, and the store appears at the second path.
let urls = CommandLine.arguments.dropFirst().prefix(2).map { URL(fileURLWithPath: $0) }
var options = StoreOptions()
options.busyTimeout = 60
if CommandLine.arguments.last == "copy" {
    try Store.migrate(from: urls[0], to: urls[1], schema: Chain.self, options: options)
} else if CommandLine.arguments.last == "convert" {
    do {
        _ = try Store.convert(urls[0], of: ImportedFormat(.sqlite), to: urls[1], schema: Chain.self, options: options)
    } catch MigrationError.destinationExists {
        // Another process was faster.
    }
    _ = try Store(at: urls[1], schema: Chain.self, options: options)
} else {
    options.backup = urls.count > 1 ? urls[1] : nil
    _ = try Store(at: urls[0], schema: Chain.self, options: options)
}
print("open")
