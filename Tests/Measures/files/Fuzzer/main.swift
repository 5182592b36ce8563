import Commands
import Foundation
import StoreCommands
import Strata

// Changes copies of stores at random, and lets the runtime and the tools work with them. `Tests/Measures/files/files` starts it:
//
//   FileFuzzer ROOT FOLDER SEED FIRST COUNT
//
// It writes a line for each case before it begins, so that a crash or a hang names its case, and a line for each failure.

let arguments = CommandLine.arguments.dropFirst()
guard arguments.count == 5, let seed = UInt64(arguments[3]), let first = Int(arguments[4]),
    let count = Int(arguments[5])
else {
    print("usage: FileFuzzer ROOT FOLDER SEED FIRST COUNT")
    exit(2)
}
/// Writes a line at once: a buffer would be lost in a crash.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
let folder = URL(fileURLWithPath: arguments[2])
let subjects = try Subject.all(below: URL(fileURLWithPath: arguments[1]))
for number in first..<first + count {
    say("case \(number)")
    var fuzzed = FuzzCase(number: number, seed: seed, folder: folder, subjects)
    for failure in try fuzzed.run() { say("failure \(number): \(failure)") }
}
let counts = FuzzCase.counts.withLock { $0 }
say("counts \(counts.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " "))")
say("done")
