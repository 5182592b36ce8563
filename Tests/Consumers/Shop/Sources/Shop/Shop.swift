import Foundation
import Strata

/// Opens the shop's store.
func openStore(at url: URL) throws -> Store { try Store(at: url, schema: ShopSchema.self) }
