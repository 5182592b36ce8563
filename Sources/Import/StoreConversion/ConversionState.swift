import Foundation
import Strata

/// The state of a conversion. The draft of the store contains it, so that the conversion can go on after an interruption.
struct ConversionState: Codable {
    /// The number of tables that are complete.
    var tables = 0
    /// The number of the last row, in the other database, of the table that is not complete; nil if it has not begun.
    var lastRow: Int64?
    /// The greatest key in this table; nil if there is none.
    var greatestKey: Int64?
    /// The greatest keys of the tables that are complete.
    var lastIDs: [String: Int64] = [:]
    /// The number of rows that were read.
    var completedRows = 0
    var report: ConversionReport
    /// The parts of the report that are not encoded with it.
    private var lostCount = 0
    private var isRefused = false

    init(_ report: ConversionReport) {
        self.report = report
    }

    init(json: String) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(json.utf8))
        (report.lostCount, report.isRefused) = (lostCount, isRefused)
    }

    /// The state as JSON.
    func json() throws -> String {
        var state = self
        (state.lostCount, state.isRefused) = (report.lostCount, report.isRefused)
        return String(decoding: try JSONEncoder().encode(state), as: UTF8.self)
    }
}
