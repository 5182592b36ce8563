import Foundation
import Testing

extension IndexStore {
    fileprivate static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../Sources/Runtime/Strata").standardizedFileURL

    /// The index of the runtime in the build that these tests belong to.
    fileprivate static let ofRuntime = Result {
        let program = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        return try IndexStore(of: "Strata", in: sources, builtInto: program.deletingLastPathComponent())
    }

    fileprivate static var isNeeded: Bool {
        guard case .failure(is Absence) = ofRuntime else { return true }
        return ProcessInfo.processInfo.environment["STRATA_FLOORS"] == "required"
    }
}

/// The floors of the runtime, which `.github/CONTRIBUTING.md` describes.
///
/// Another build system may write no index; then the tests are skipped. `STRATA_FLOORS=required` in the environment makes that a
/// failure.
@Suite(.enabled(if: IndexStore.isNeeded, "the build wrote no index")) struct FloorTests {
    /// The folders of the target `Strata`. Each file refers only to files in its own folder and in those before it.
    private static let floors = ["SQLite", "Values", "Query", "Transactions", "StoreFile", "Migration", "Store"]

    private static func floor(of file: String) -> Int? {
        floors.firstIndex { file.hasPrefix($0 + "/") }
    }

    @Test func `no file of the runtime refers to a floor above its own`() throws {
        let index = try IndexStore.ofRuntime.get()
        let all = try FileManager.default.subpathsOfDirectory(atPath: IndexStore.sources.path)
        #expect(index.files == Set(all.filter { $0.hasSuffix(".swift") }))
        for file in index.files where Self.floor(of: file) == nil {
            Issue.record("\(file) is in none of the folders \(Self.floors.joined(separator: ", "))")
        }
        let upward = index.references.filter { reference in
            guard let own = Self.floor(of: reference.file), let other = Self.floor(of: reference.definedIn) else {
                return false
            }
            return other > own
        }
        let places = upward.map { "\($0.file):\($0.line) refers to \($0.symbol) in \($0.definedIn)" }
        #expect(places.sorted() == [])
    }

    @Test func `at most ten files of the runtime depend on each other`() throws {
        let index = try IndexStore.ofRuntime.get()
        var targets: [String: Set<String>] = [:]
        for reference in index.references { targets[reference.file, default: []].insert(reference.definedIn) }
        func reached(from file: String) -> Set<String> {
            var (reached, rest): (Set<String>, [String]) = ([], [file])
            while let next = rest.popLast() {
                for target in targets[next] ?? [] where reached.insert(target).inserted { rest.append(target) }
            }
            return reached
        }
        let reachable = Dictionary(uniqueKeysWithValues: index.files.map { ($0, reached(from: $0)) })
        let cycles = reachable.map { file, others in
            others.filter { reachable[$0]?.contains(file) == true }.sorted()
        }
        for cycle in Set(cycles) where cycle.count > 10 {
            Issue.record("\(cycle.count) files depend on each other: \(cycle.joined(separator: ", "))")
        }
    }
}
