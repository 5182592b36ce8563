import Foundation
import Templates

/// Copies the built-in templates into a folder, where you can change them.
struct TemplatesCommand {
    private let folder: URL

    init(_ arguments: Arguments) throws {
        folder = URL(fileURLWithPath: try arguments.value("--copy"), isDirectory: true)
    }

    func run(_ console: Console) throws {
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
