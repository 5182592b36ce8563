import Commands
import DescriptionEditing
import Descriptions
import Foundation

/// Writes the JSON Schemas of the files that you write, for editors.
struct SchemaCommand {
    private let folder: URL

    init(_ arguments: Arguments) throws {
        folder = URL(fileURLWithPath: try arguments.value("--into"), isDirectory: true).standardizedFileURL
        var parent = folder
        while parent.pathComponents.count > 1 {
            if FileManager.default.fileExists(atPath: parent.appendingPathComponent("strata.json").path) {
                throw CommandError.usage(
                    "\(folder.path) is in the folder of a model, whose JSON files are descriptions; use another folder")
            }
            parent.deleteLastPathComponent()
        }
    }

    func run(_ console: Console) throws {
        let files = FileSchema.allCases.map { (folder.appendingPathComponent($0.fileName), $0.text) }
        for url in try FileWriter.write(files) { console.say("wrote \(url.path)") }
    }
}
