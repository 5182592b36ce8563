import Foundation
import Testing

@testable import Descriptions

/// Random faults in all descriptions of the repository: whatever stands in a file, the reader answers, and what it
/// refuses it refuses at a place inside the file. `STRATA_MUTATIONS` in the environment says how many, `STRATA_SEED` with
/// which seed.
@Suite struct MutationTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The models of the repository: the files of each by their base names.
    private static func models() throws -> [[SourceFile]] {
        try [
            "Entities/Laundry", "Entities/Movies", "Tests/Consumers/App/Sources/App/Model",
            "Tests/Consumers/Everything/Sources/Everything/Model",
        ]
        .map { path in
            let folder = root.appendingPathComponent(path)
            return try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
                .filter { $0.hasSuffix(".json") && !$0.hasSuffix("strata.json") }
                .map { name in
                    let data = try Data(contentsOf: folder.appendingPathComponent(name))
                    return SourceFile(path: name, bytes: [UInt8](data))
                }
        }
    }

    @Test func `no fault crashes the reader, and every answer has a place in the file`() throws {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["STRATA_MUTATIONS"].flatMap(Int.init) ?? 2000
        let seed = environment["STRATA_SEED"].flatMap(UInt64.init) ?? UInt64.random(in: 0...UInt64.max)
        var generator = SplitMix(state: seed)
        let models = try Self.models()
        #expect(models.allSatisfy { $0.count > 2 })
        var refused = 0
        for _ in 0..<count {
            // A whole model, or one file by itself: the latter is read much faster.
            let model = models[Int.random(in: 0..<models.count, using: &generator)]
            let place = Int.random(in: 0..<model.count, using: &generator)
            let mutant = SourceFile(path: model[place].path, bytes: Self.mutate(model[place].bytes, &generator))
            let isWhole = model.count < 6 && Bool.random(using: &generator)
            var files = isWhole ? model : [mutant]
            if isWhole { files[place] = mutant }
            let descriptions = Descriptions(reading: files, folder: "Model", schema: "TestSchema")
            let errors = descriptions.diagnostics.filter { $0.severity == .error }
            #expect(errors.isEmpty == (descriptions.history != nil), "seed \(seed)")
            refused += errors.isEmpty ? 0 : 1
            for diagnostic in errors {
                guard let position = diagnostic.position, let file = files.first(where: { $0.path == diagnostic.path })
                else {
                    if case .sameFileName = diagnostic.problem { continue }
                    if case .noEntities = diagnostic.problem { continue }
                    Issue.record("seed \(seed): no place: \(diagnostic)")
                    continue
                }
                let lines = file.bytes.split(separator: 0x0a, omittingEmptySubsequences: false)
                let isInside =
                    (1...lines.count).contains(position.line)
                    && (1...lines[position.line - 1].count + 1).contains(position.column)
                #expect(isInside, "seed \(seed): \(diagnostic)")
            }
        }
        #expect(refused > count / 4, "seed \(seed)")
    }

    /// The bytes with one to three faults: bits flipped, tokens dropped, doubled or swapped, the end cut off.
    private static func mutate(_ bytes: [UInt8], _ generator: inout SplitMix) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...3, using: &generator) where bytes.count > 2 {
            switch Int.random(in: 0..<8, using: &generator) {
            case 0:
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] ^=
                    1 << UInt8.random(in: 0..<8, using: &generator)
            case 1:
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            case 2:
                bytes.removeLast(Int.random(in: 1..<bytes.count, using: &generator))
            default:
                var tokens = tokens(bytes)
                let one = Int.random(in: 0..<tokens.count, using: &generator)
                let other = Int.random(in: 0..<tokens.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: tokens.remove(at: one)
                case 1: tokens.insert(tokens[one], at: other)
                case 2: tokens.swapAt(one, other)
                default: tokens[one] = tokens[other]
                }
                bytes = Array(tokens.joined())
            }
        }
        return bytes
    }

    /// The strings, words and marks of a JSON text, each with the space before it.
    private static func tokens(_ bytes: [UInt8]) -> [[UInt8]] {
        var tokens: [[UInt8]] = []
        var token: [UInt8] = []
        var isInString = false
        for byte in bytes {
            let isMark = !isInString && [0x2c, 0x3a, 0x5b, 0x5d, 0x7b, 0x7d].contains(byte)
            if isMark, !token.isEmpty {
                tokens.append(token)
                token = []
            }
            token.append(byte)
            if byte == 0x22 { isInString.toggle() }
            if isMark || (byte == 0x22 && !isInString) {
                tokens.append(token)
                token = []
            }
        }
        return tokens + [token]
    }
}

/// SplitMix64 (https://prng.di.unimi.it/splitmix64.c): the same numbers for the same seed everywhere.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }
}
