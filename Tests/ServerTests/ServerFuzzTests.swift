import Foundation
import PostgreSQL
import Testing

@testable import ServerCommands

/// Random histories, on a server and in a store.
///
/// `STRATA_FUZZ` is the number of histories, 8 by default, and `STRATA_SEED` the first seed.
@Suite(.enabled(if: PostgreSQLServer.isInstalled), .serialized) struct ServerFuzzTests {
    static let seeds: Range<UInt64> = {
        let environment = ProcessInfo.processInfo.environment
        let first = UInt64(environment["STRATA_SEED"] ?? "") ?? 1
        return first..<(first + (UInt64(environment["STRATA_FUZZ"] ?? "") ?? 8))
    }()

    @Test(arguments: seeds) func `a random history ends like an empty database, with the rows of a store`(
        seed: UInt64
    ) throws {
        try withModel(try RandomHistory(seed: seed, versions: 5).files()) { model in
            let loaded = try loadedModel(model.path)
            try ServerSchemaTests().check(loaded)
            try ServerRowsTests().check(loaded, at: model.path, model)
        }
    }
}
