import Foundation
import Generation

/// Writes what a build compiles into a folder of the build.
struct BuildCommand {
    private let folder: ModelFolder
    private let output: URL
    private let testFolder: URL?
    private let place: GeneratedFile.Place

    init(_ arguments: Arguments, place: GeneratedFile.Place) throws {
        folder = try arguments.model()
        output = URL(fileURLWithPath: try arguments.value("--output"), isDirectory: true)
        testFolder = try arguments.testTargets()?.values.first
        self.place = place
    }

    func run() throws {
        let model = try Model(reading: folder)
        let generator = try model.generator(testFolder: testFolder.map { .path($0.path) } ?? .aboveFile)
        for file in place == .tests ? try generator.tests() : try generator.sources() {
            // The build needs every declared output to be there, and new: it decides by dates.
            try Data(file.contents.utf8).write(to: output.appendingPathComponent(file.name), options: .atomic)
        }
    }
}
