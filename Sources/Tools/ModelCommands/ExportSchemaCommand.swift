import Commands
import Foundation
import SchemaModel

/// `strata export-schema`: writes the tables of the newest version for another library.
struct ExportSchemaCommand {
    private let format: SchemaExport.Format
    private let model: ModelFolder
    private let folder: URL

    init(_ arguments: Arguments) throws {
        guard arguments.folders.count == 2, let format = SchemaExport.Format(rawValue: arguments.folders[0]) else {
            let formats = SchemaExport.Format.allCases.map(\.rawValue).joined(separator: ", ")
            throw CommandError.usage("export-schema needs a format (\(formats)) and the folder of a model")
        }
        self.format = format
        model = try arguments.model(at: arguments.folders[1])
        folder = URL(fileURLWithPath: try arguments.value("--to"), isDirectory: true)
    }

    func run(_ console: Console) throws {
        let history = try model.loaded().history
        let export = SchemaExport(history.newest, number: history.versions.count)
        let file = folder.appendingPathComponent(export.fileName(format))
        let written = try FileWriter.write([(file, export.text(format))])
        console.say(written.isEmpty ? "\(file.path) is up to date" : "wrote \(file.path)")
        for note in export.notes(format) { console.say("note: " + note) }
    }
}
