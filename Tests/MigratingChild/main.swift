import CFaultVFS
import ChainSchema
import Foundation
import StoreConversion
import Strata

// A process that works with a store, as an app does:
//
//     MigratingChild open STORE [PLACE]
//     MigratingChild resume STORE [PLACE]
//     MigratingChild backup STORE BACKUP [PLACE]
//     MigratingChild copy STORE COPY [PLACE]
//     MigratingChild convert DATABASE STORE [PLACE]
//     MigratingChild create STORE
//     MigratingChild batches STORE
//
// `open` and `backup` migrate the store; `resume` does so in batches of a few rows. `copy` writes the migrated store to another file. `convert` converts a
// database that another program wrote, and opens the store. `create` creates a store of the first version, and `batches` migrates one in
// batches of the usual length.
//
// PLACE is the number of a file operation, counted from 1. The process is killed before this operation.
let command = CommandLine.arguments[1]
var arguments = Array(CommandLine.arguments.dropFirst(2))
var options = StoreOptions()
options.busyTimeout = 60
var fileSystem: String?
if let place = arguments.last.flatMap(Int32.init) {
    arguments.removeLast()
    fileSystem = "killing"
    _ = fault_vfs_create(fileSystem, FAULT_KILL, place, 0)
}
let urls = arguments.map { URL(fileURLWithPath: $0) }
try Connection.$fileSystem.withValue(fileSystem) {
    switch command {
    case "copy": try Store.migrate(from: urls[0], to: urls[1], schema: Chain.self, options: options)
    case "convert":
        try MigrationBatches.$duration.withValue(.zero) {
            _ = try Store(converting: urls[0], at: urls[1], schema: Chain.self, options: options)
        }
    case "create":
        options.journal = .delete
        _ = try Store(at: urls[0], schema: OldChain.self, options: options)
    case "batches":
        options.migration = .resumable
        _ = try Store(at: urls[0], schema: Chain.self, options: options)
    case "resume":
        options.migration = .resumable
        try MigrationBatches.$duration.withValue(.zero) {
            _ = try Store(at: urls[0], schema: Chain.self, options: options)
        }
    default:
        options.backup = urls.count > 1 ? .file(urls[1]) : nil
        _ = try Store(at: urls[0], schema: Chain.self, options: options)
    }
}
