import Foundation
import SQLSchema
import Testing

@testable import SchemaDiff
@testable import SchemaModel

@Suite struct LockTests {
    private func history(
        _ count: Int = 3, name: String = "title", type: ScalarType = .string, value: Literal? = nil
    ) throws -> SchemaHistory {
        let versions = try (1...count).map { number in
            let property = Property(
                lineage: 0, name: name, kind: .attribute(.scalar(type)), defaultValue: value.map { .literal($0) })
            let book = Entity(
                lineage: 0, name: "book", documentation: "A book.", identifier: .column(name: "id", kind: .int),
                properties: [property], indexes: [EntityIndex(lineage: 0, IndexShape([0], unique: number > 1))])
            let other = Entity(
                lineage: 1, name: "other", documentation: nil, identifier: .column(name: "id", kind: .uuid),
                properties: [], indexes: [])
            return ModelVersion(
                version: try #require(Version("\(number).0")), entities: number < 3 ? [book, other] : [book])
        }
        return SchemaHistory(
            name: "BookSchema", versions: versions,
            instructions: Array(repeating: StepInstructions(), count: count - 1),
            sources: ["Book", "Other"])
    }

    static let text = """
        released 3.0 fingerprint
        # The released versions, which must not change. `generate` writes this file: commit it, and do not edit it.
        format 2
        schema BookSchema

        version 1.0 fingerprint 8cf3a8e1b4a1b2e5
        book | key id: int | index (title) | title: string
        other | key id: uuid

        version 2.0 fingerprint 0
        book | key id: int | title: string | unique (title)

        version 3.0 fingerprint 0
        removed other

        """

    @Test func `each version of a lock lists its new, changed and removed entities`() throws {
        let text = Lock(sealing: 3, of: try history()).text
        func lines(_ text: String) -> [String] {
            text.split(separator: "\n").map { line in
                let hasFingerprint = ["version", "released"].contains { line.hasPrefix($0) }
                return hasFingerprint ? line.split(separator: " ").prefix(2).joined(separator: " ") : String(line)
            }
        }
        #expect(lines(text) == lines(Self.text))
    }

    @Test func `the algorithm of fingerprints never changes`() {
        // FNV-1a of no bytes, and of "a" with its line feed, computed by another implementation of the algorithm.
        #expect(Fingerprint(of: []).description == "cbf29ce484222325")
        #expect(Fingerprint(of: ["a"]).description == "089bdc07b544e7b2")
        #expect(Fingerprint(of: ["b", "a"]) == Fingerprint(of: ["a", "b"]))
    }

    @Test func `a lock is read back with any line endings`() throws {
        let lock = Lock(sealing: 2, of: try history())
        #expect(try Lock(parsing: lock.text) == lock)
        #expect(
            try Lock(
                parsing: lock.text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n"))
                == lock)
        #expect(lock.changes(in: try history()) == [])
    }

    /// The edit of a released version. Throws unless it is the only change.
    private func edit(_ lock: Lock, _ history: SchemaHistory) throws -> LockChange.Edit {
        let changes = lock.changes(in: history)
        guard changes.count == 1, case .content(let edit) = changes[0] else {
            throw Unexpected(changes: changes)
        }
        return edit
    }

    private struct Unexpected: Error {
        let changes: [LockChange]
    }

    @Test func `a change of a released version is reported by version, entity and property`() throws {
        let lock = Lock(sealing: 1, of: try history())
        let one = try #require(Version("1.0"))
        #expect(
            try edit(lock, try history(type: .int))
                == .init([one], entity: "book", element: "title", was: "string", now: "int"))
        #expect(
            try edit(lock, try history(value: .text("a|b\n")))
                == .init([one], entity: "book", element: "title", was: "string", now: #"string = "a\u{7c}b\n""#))
    }

    @Test func `a renamed property is reported once, without the index that follows it`() throws {
        let lock = Lock(sealing: 1, of: try history())
        let one = try #require(Version("1.0"))
        #expect(
            try edit(lock, try history(name: "name"))
                == .init([one], entity: "book", element: "name", was: "string", now: "string", formerName: "title"))
    }

    @Test func `a version that is missing or new among released versions is reported`() throws {
        let all = try history()
        let lock = Lock(sealing: 3, of: all)
        let fewer = SchemaHistory(
            name: all.name, versions: [all.versions[0], all.versions[2]], instructions: [StepInstructions()],
            sources: all.sources)
        #expect(lock.changes(in: fewer) == [.versionRemoved(all.versions[1].version)])
        #expect(Lock(sealing: 2, of: fewer).changes(in: all) == [.versionAdded(all.versions[1].version)])
    }

    @Test func `quoted names and escaped values are read, and malformed lines are refused`() throws {
        let one = try #require(Version("1.0"))
        let two = try #require(Version("2.0"))
        let lock = Lock(
            schema: "S",
            versions: [
                .init(
                    version: one,
                    lines: ["\"my note\" | key id: int | a: string = \"\u{2029}\u{85}\"", "removed | key id: int"]),
                .init(version: two, lines: []),
            ])
        #expect(try Lock(parsing: lock.text.replacing("format 2", with: "format 1")) == lock)
        #expect(throws: Lock.Malformed.self) { try Lock(parsing: lock.text + "| a | b\n") }
        #expect(throws: Lock.Malformed.self) { try Lock(parsing: lock.text + "|\n") }
    }

    @Test func `a line that changes only in its Unicode form is written for both versions`() throws {
        let (composed, decomposed) = ("a | b: string = \"\u{e9}\"", "a | b: string = \"e\u{301}\"")
        #expect(composed == decomposed)
        let lock = Lock(
            schema: "S",
            versions: [
                .init(version: try #require(Version("1.0")), lines: [composed]),
                .init(version: try #require(Version("2.0")), lines: [decomposed]),
            ])
        let read = try Lock(parsing: lock.text)
        #expect(read.versions.map(\.fingerprint) == lock.versions.map(\.fingerprint))
    }

    @Test func `removing one of two equal indexes is a change`() throws {
        let one = try #require(Version("1.0"))
        let all = try history(1)
        let lock = Lock(
            schema: "BookSchema",
            versions: [
                .init(
                    version: one,
                    lines: all.versions[0].entities.map(all.versions[0].logicalLine).map {
                        $0 == "book | key id: int | index (title) | title: string"
                            ? "book | key id: int | index (title) | index (title) | title: string" : $0
                    })
            ])
        #expect(lock.changes(in: all).count == 1)
    }

    @Test func `a malformed lock is refused at its line`() throws {
        let text = Lock(sealing: 2, of: try history()).text
        func malformed(_ text: String) -> Lock.Malformed? {
            do throws(Lock.Malformed) {
                _ = try Lock(parsing: text)
                return nil
            } catch {
                return error
            }
        }
        #expect(malformed(text.replacing("title: string", with: "title: strinG", maxReplacements: 1))?.line == 6)
        #expect(malformed(text + "<<<<<<< HEAD\n")?.line == 12)
        #expect(malformed(text + "  \n")?.line == 12)
        #expect(malformed(text.replacing("format 2", with: "format 3"))?.line == 3)
        let step = "step 1.0 to 2.0 fingerprint \(Fingerprint(of: ["book: rows discard"]))\n"
        #expect(malformed(text + step + "book: rows discard\n") == nil)
        #expect(malformed(text + step + "book: rows kept\n")?.line == 12)
        #expect(malformed(text + step.replacing("1.0", with: "0.9"))?.reason.contains("between") == true)
        #expect(malformed(text.replacing("version 2.0", with: "version 0.5"))?.line == 10)
        #expect(malformed(text.replacing("version 2.0", with: "version x"))?.reason == "x is not a version")
        #expect(malformed(text.replacing("released 2.0", with: "released 1.0"))?.line == 1)
    }

    // MARK: Merges

    /// Returns a file with the conflicts that git marks when two branches have changed the same lines.
    private func conflict(_ ours: String, _ theirs: String) throws -> MergeConflict {
        let (left, right) = (ours.split(separator: "\n"), theirs.split(separator: "\n"))
        let start = zip(left, right).prefix { $0 == $1 }.count
        let text = """
            \(left[..<start].joined(separator: "\n"))
            <<<<<<< HEAD
            \(left[start...].joined(separator: "\n"))
            ||||||| base
            released 0.1
            =======
            \(right[start...].joined(separator: "\n"))
            >>>>>>> feature

            """
        return try #require(MergeConflict(in: text.trimmingCharacters(in: .newlines)))
    }

    @Test func `a lock that only continues the other one resolves a merge conflict`() throws {
        let (short, long) = (Lock(sealing: 1, of: try history()), Lock(sealing: 3, of: try history()))
        #expect(try Lock(resolving: conflict(short.text, long.text)) == long)
        #expect(try Lock(resolving: conflict(long.text, short.text)) == long)
    }

    @Test func `different releases are a conflict with both fingerprints`() throws {
        let ours = Lock(sealing: 2, of: try history())
        let theirs = Lock(sealing: 2, of: try history(name: "name"))
        #expect {
            _ = try Lock(resolving: conflict(ours.text, theirs.text))
        } throws: { error in
            let error = error as? LockConflict
            return error?.ours.fingerprint == ours.versions[0].fingerprint
                && error?.theirs.fingerprint == theirs.versions[0].fingerprint
        }
        // Each branch has released another version.
        let (short, long) = (Lock(sealing: 1, of: try history()), Lock(sealing: 3, of: try history()))
        var other = long
        other.versions.remove(at: 1)
        other.versions[1].step = Lock.Step(from: other.versions[0].version, lines: [])
        #expect(throws: LockConflict.self) {
            _ = try Lock(resolving: conflict(Lock(sealing: 2, of: try history()).text, other.text))
        }
        #expect(try Lock(resolving: conflict(short.text, other.text)) == other)
    }

    @Test func `one of the locks may have recorded a fixture or removed old versions`() throws {
        let lock = Lock(sealing: 2, of: try history())
        var first = lock
        first.versions[1].fixture = Fingerprint(of: ["rows"])
        #expect(try Lock(resolving: conflict(lock.text, first.text)) == first)
        var second = lock
        second.versions[1].fixture = Fingerprint(of: ["other rows"])
        #expect(throws: LockConflict.self) { _ = try Lock(resolving: conflict(first.text, second.text)) }

        var squashed = lock
        squashed.versions.removeFirst()
        let longer = Lock(sealing: 3, of: try history())
        let supported = longer.supported(from: longer.versions[1].version)
        #expect(try Lock(resolving: conflict(squashed.text, longer.text)) == supported)
        // Git merges the first line if only one branch has changed it.
        let merged = squashed.text.replacing(/^released .*/, with: longer.text.prefix { $0 != "\n" })
        #expect(try Lock(resolving: conflict(merged, longer.text)) == supported)
    }

    @Test func `a step that both branches have released in different ways is a conflict`() throws {
        var (ours, theirs) = (Lock(sealing: 2, of: try history()), Lock(sealing: 2, of: try history()))
        ours.versions[1].step = Lock.Step(from: ours.versions[0].version, lines: ["book.title: fill \"a\""])
        theirs.versions[1].step = Lock.Step(from: ours.versions[0].version, lines: ["book.title: fill \"b\""])
        #expect {
            _ = try Lock(resolving: conflict(ours.text, theirs.text))
        } throws: {
            ($0 as? LockConflict)?.isOfStep == true
        }
        // A lock of format 1 has no steps.
        let former = theirs.text.replacing("format 2", with: "format 1").split(separator: "\n")
            .filter { !$0.hasPrefix("step") && !$0.hasPrefix("book.") }.joined(separator: "\n")
        #expect(try Lock(resolving: conflict(ours.text, former)) == ours)
    }

    @Test func `only complete marks of git are a conflict`() {
        #expect(MergeConflict(in: "a\n<<<<<<< HEAD\nb\n=======\nc\n") == nil)
        #expect(MergeConflict(in: "a\n=======\nc\n") == nil)
        let found = MergeConflict(in: "a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> x\nd\n")
        #expect(found?.ours == MergeConflict.Side(text: "a\nb\nd\n", label: "HEAD"))
        #expect(found?.theirs == MergeConflict.Side(text: "a\nc\nd\n", label: "x"))
        #expect(MergeConflict(in: "a\r\n<<<<<<< HEAD\r\nb\r\n=======\r\nc\r\n>>>>>>> x\r\n")?.ours.text == "a\nb\n")
        let nested = "<<<<<<< HEAD\nb\n||||||| base\n=========\nold\n=======\nc\n>>>>>>> x\n"
        #expect(MergeConflict(in: nested)?.theirs.text == "c\n")
        #expect(found?.line == 2)
    }
}
