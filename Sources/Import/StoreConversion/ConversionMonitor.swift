import Foundation
import SQLSchema
import Strata

/// Counts the rows of a conversion, reports its progress, and cancels it on request.
final class ConversionMonitor {
    private let options: ConversionOptions
    private var total = 0
    /// The number of rows that were copied or set aside.
    var completed = 0
    private var reported = (time: Date.distantPast, rows: 0)

    init(_ options: ConversionOptions) {
        self.options = options
    }

    /// Begins the conversion of these tables, of which `completed` rows are there already.
    func begin(_ tables: [ConvertedTable], in source: Connection, completed: Int) throws {
        self.completed = completed
        reported.rows = completed
        guard options.progress != nil else { return }
        total = try tables.reduce(0) { try $0 + (source.integer("SELECT count(*) FROM \($1.from)") ?? 0) }
    }

    /// Counts a row of `table`.
    ///
    /// - Throws: `CancellationError` if the conversion was cancelled.
    func advance(_ table: Table) throws {
        completed += 1
        if completed.isMultiple(of: 1024) { try report(table) }
    }

    /// Reports the progress, at most 20 times a second.
    ///
    /// - Throws: `CancellationError` if the conversion was cancelled.
    func report(_ table: Table) throws {
        if options.isCancelled?() == true { throw CancellationError() }
        guard let progress = options.progress else { return }
        let now = Date()
        if now.timeIntervalSince(reported.time) < 0.05 { return }
        // The rows of a part that does not fit as it is are read again.
        reported = (now, max(reported.rows, completed))
        progress(
            ConversionProgress(table: table.name, completedRows: reported.rows, totalRows: max(total, reported.rows)))
    }

    /// Reports that all rows are copied.
    func end() {
        options.progress?(ConversionProgress(table: nil, completedRows: total, totalRows: total))
    }
}
