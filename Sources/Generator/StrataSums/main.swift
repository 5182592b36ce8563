import FileSums
import Foundation

// The tool of the plugin StrataCheck: SUMS FOLDER TARGET STAMP FILE…
let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count >= 4 else {
    FileHandle.standardError.write(Data("error: StrataSums is the tool of the plugin StrataCheck\n".utf8))
    exit(2)
}
let urls = arguments.map { URL(fileURLWithPath: $0) }
if let problem = FileSums.problem(in: urls[0], folder: urls[1], found: Array(urls[4...]), target: arguments[2]) {
    FileHandle.standardError.write(Data((problem + "\n").utf8))
    exit(1)
}
try Data("// The committed files match the descriptions.\n".utf8).write(to: urls[3])
