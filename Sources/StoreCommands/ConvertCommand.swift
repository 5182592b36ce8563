import Commands
import Foundation
import SchemaModel
import Strata

/// Makes stores of databases of other libraries.
enum ConvertCommand {
    static func run(_ arguments: Arguments, _ file: URL, _ console: Console) throws {
        let model = try arguments.model(at: try arguments.value("--model"))
        let destination = URL(fileURLWithPath: try arguments.value("--to"))
        var options = ConversionOptions()
        options.version = arguments.option("--version")
        if arguments.has("--leave-out") { options.misfits = .leaveOut }
        let report: ConversionReport
        do {
            report = try DescribedSchema.$history.withValue(try model.history()) {
                try Store.convert(file, to: destination, schema: DescribedSchema.self, conversion: options)
            }
        } catch let error as ConversionError {
            if arguments.has("--json"), case .misfits(let report) = error { console.say(try JSONOutput.text(report)) }
            throw CommandError.store(file.path, reason: error.description)
        } catch let error as MigrationError {
            throw CommandError.store(file.path, reason: error.description)
        }
        if arguments.has("--json") { return console.say(try JSONOutput.text(report)) }
        for misfit in report.misfits { console.say("left out: \(misfit)") }
        if report.misfitCount > report.misfits.count {
            console.say("left out: \(report.misfitCount - report.misfits.count) more")
        }
        for (table, count) in report.rows.sorted(by: { $0.key < $1.key }) { console.say("\(table): \(count) rows") }
        console.say("wrote \(destination.path), a store of \(report.version)")
    }
}
