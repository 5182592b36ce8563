import Foundation
import Strata

/// Opens the app's store, and migrates it to the newest version.
public func openStore(at url: URL) throws -> Store {
    try Store(at: url, schema: AppSchema.self)
}
