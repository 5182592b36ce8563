import Commands
import DescriptionEditing
import Descriptions
import Foundation

/// Writes the files of a model in their canonical layout.
struct FormatCommand {
    private let folders: [ModelFolder]

    init(_ arguments: Arguments) throws {
        folders = try arguments.models()
    }

    func run(_ console: Console) throws {
        for folder in folders {
            let configuration = folder.configurationFile()
            let files = try folder.descriptions().sorted { $0.path < $1.path }
            var diagnostics: [Diagnostic] = []
            var texts: [(url: URL, contents: String)] = []
            for file in files + [configuration] {
                do throws(Formatting.FileDiagnostics) {
                    let text = try Formatting.format(file, isConfiguration: file.path == configuration.path)
                    texts.append((URL(fileURLWithPath: file.path), text))
                } catch {
                    diagnostics += error.all
                }
            }
            if !diagnostics.isEmpty { throw Diagnostics(diagnostics) }
            let written = try FileWriter.write(texts)
            for url in written { console.say("formatted \(url.path)") }
            if written.isEmpty { console.say("\(folder.target): every file has the canonical layout") }
        }
    }
}
