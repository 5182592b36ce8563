import Foundation
import StoreConversion
import Strata

/// Opens the journal in `folder`. The first launch after the update makes it of the store of Core Data, which stays.
public func openJournal(in folder: URL) throws -> Store {
    try Store(
        converting: folder.appendingPathComponent("Journal.sqlite"),
        at: folder.appendingPathComponent("Journal.strata"), schema: JournalSchema.self)
}
