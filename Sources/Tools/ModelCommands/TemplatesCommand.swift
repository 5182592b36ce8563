import Commands
import Foundation
import Generation
import Templates

/// Copies the built-in templates into a folder, so that you can change them, or prints the values for the templates.
struct TemplatesCommand {
    /// The folder for the copies; nil to print the values.
    private let folder: URL?

    init(_ arguments: Arguments) throws {
        let copy = arguments.option("--copy")
        guard (copy != nil) != arguments.has("--values") else {
            throw CommandError.usage("templates needs either --copy DIR or --values")
        }
        folder = copy.map { URL(fileURLWithPath: $0, isDirectory: true) }
    }

    func run(_ console: Console) throws {
        guard let folder else { return console.say(TemplateReference.text) }
        for (name, text) in try Templates.load().sorted(by: { $0.key < $1.key }) {
            let url = folder.appendingPathComponent(name + ".mustache")
            if FileManager.default.fileExists(atPath: url.path) {
                console.say("left \(url.path) as it is")
            } else {
                try FileWriter.write(text, to: url)
                console.say("wrote \(url.path)")
            }
        }
    }
}
