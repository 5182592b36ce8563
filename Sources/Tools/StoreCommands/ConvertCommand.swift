import Commands
import Foundation
import SchemaModel
import StoreConversion
import Strata

/// Converts a database of another library to a store.
enum ConvertCommand {
    static func run(_ arguments: Arguments, _ file: URL, _ console: Console) throws {
        let model = try arguments.model(at: try arguments.value("--model"))
        let destination = URL(fileURLWithPath: try arguments.value("--to"))
        var options = ConversionOptions()
        options.version = arguments.option("--version")
        if let name = arguments.option("--invalid-rows") {
            guard let invalidRows = ConversionOptions.InvalidRows(rawValue: name) else {
                let known = ConversionOptions.InvalidRows.allCases.map(\.rawValue).joined(separator: ", ")
                throw CommandError.usage("unknown value \(name) of --invalid-rows; the values are \(known)")
            }
            options.invalidRows = invalidRows
        }
        // Without a write-ahead log, the store is a single file, which is easier to pass on.
        var store = StoreOptions()
        store.journal = .delete
        let report: ConversionReport
        let line = console.progress("converting", unit: "rows")
        options.progress = { line.update($0.completedRows, of: $0.totalRows) }
        defer { line.end() }
        do {
            report = try Store.convert(
                file, to: destination, definition: SchemaDefinition(try model.loaded()), conversion: options,
                options: store)
        } catch let error as ConversionError {
            if arguments.has("--json"), case .invalidRows(let report) = error {
                console.say(try EncodedOutput.text(report))
            }
            throw CommandError.store(file.path, reason: error.description)
        } catch let error as MigrationError {
            throw CommandError.store(file.path, reason: error.description)
        }
        line.end()
        if arguments.has("--json") { return console.say(try EncodedOutput.text(report)) }
        for invalidRow in report.invalidRows { console.say("\(invalidRow.outcome.words): \(invalidRow)") }
        if report.invalidRowCount > report.invalidRows.count {
            console.say("and \(report.invalidRowCount - report.invalidRows.count) more")
        }
        for left in report.left { console.say("left unread: \(left)") }
        for (table, count) in report.rows.sorted(by: { $0.key < $1.key }) {
            console.say("\(table): \(Self.rows(count))")
        }
        for (table, count) in report.unconverted.sorted(by: { $0.key < $1.key }) {
            console.say("\(table): \(Self.rows(count)) in strata_unconverted")
        }
        console.say("wrote \(destination.path), a store of \(report.version)")
    }

    private static func rows(_ count: Int) -> String { count == 1 ? "1 row" : "\(count) rows" }
}

extension ConversionReport.Outcome {
    /// The outcome as the first words of a line.
    fileprivate var words: String {
        switch self {
        case .setAside: "set aside"
        case .dropped: "dropped"
        case .refused: "refused"
        case .setToNull: "set to NULL"
        case .filled: "filled"
        }
    }
}
