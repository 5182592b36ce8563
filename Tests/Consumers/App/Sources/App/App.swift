import Foundation
import Strata

/// Opens the app's store; whatever version it finds is taken to the newest.
public func openStore(at url: URL) throws -> Store {
    try Store(at: url, schema: AppSchema.self)
}
