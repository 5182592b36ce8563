import FileSums
import Foundation

// The tool of the plugin StrataCheck: SUMS FOLDER TARGET STAMP FILE…
let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count >= 4 else {
    FileHandle.standardError.write(Data("error: StrataSums is the tool of the plugin StrataCheck\n".utf8))
    exit(2)
}
let urls = arguments.map { URL(fileURLWithPath: $0) }
let (folder, stamp) = (urls[1], urls[3])
let migrations = urls[4...].filter { $0.path.hasPrefix(folder.path + "/Migrations/") }
let found = urls[4...].filter { !migrations.contains($0) }
func complain(_ message: String) { FileHandle.standardError.write(Data((message + "\n").utf8)) }
if let problem = FileSums.problem(in: urls[0], folder: folder, found: found, target: arguments[2]) {
    complain(problem)
    exit(1)
}
for file in migrations where (try? String(contentsOf: file, encoding: .utf8))?.contains("UnwrittenMigration()") == true
{
    complain("\(file.path):1:1: warning: \(FileSums.unwritten)")
}
try Data("// The committed files match the descriptions.\n".utf8).write(to: stamp)
