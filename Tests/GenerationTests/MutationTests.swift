import Descriptions
import Foundation
import Generation
import SchemaDiff
import SchemaModel
import SQLSchema
import Strata
import Templates
import Testing

/// Puts random faults into the descriptions of the repository. The reader must not crash, and each error must have a
/// position inside the file. Code must be generated from descriptions without errors, and SQLite must accept the
/// generated SQL.
///
/// `STRATA_MUTATIONS` in the environment sets the number of faulty models, and `STRATA_SEED` the seed.
@Suite struct MutationTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The models of the repository, each with its `strata.json`.
    private static func models() throws -> [[SourceFile]] {
        try [
            "Entities/Laundry", "Entities/Movies", "Tests/Consumers/App/Sources/App/Model",
            "Tests/Consumers/Everything/Sources/Everything/Model",
        ]
        .map { path in
            let folder = root.appendingPathComponent(path)
            return try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
                .filter { $0.hasSuffix(".json") }
                .map { name in
                    let data = try Data(contentsOf: folder.appendingPathComponent(name))
                    return SourceFile(path: name, bytes: [UInt8](data))
                }
        }
    }

    /// A small model that uses most keys of descriptions.
    private static let sampler = [
        "strata.json":
            #"{ "versions": ["1", { "version": "2", "was": "Model 2" }, "3"], "chain": { "1": "3" }, "oldest_supported_version": "1", "structs": "all" }"#,
        "Kind.json":
            #"""
        { "name": "kind", "version_history": [{ "version": "1" }, { "version": "2", "previous_name": "sort" }],
          "cases": ["a", { "name": "b", "value": "B", "version_history": [{ "version": "1" }, { "version": "2", "previous": { "value": "b" } }] },
            { "name": "c", "removed_at_version": "3", "replaced_by": "a" }] }
        """#,
        "Flags.json":
            #"{ "name": "flags", "options": ["x", { "name": "y", "bit": 7, "added_at_version": "2" }, { "name": "z", "removed_at_version": "3", "discard": true }] }"#,
        "Place.json":
            #"""
        { "name": "place", "properties": [
            { "name": "at", "property_type": "double", "version_history": [{ "version": "1" }, { "version": "2", "previous_name": "where" }] },
            { "name": "kinds", "property_type": "[kind]", "nullable": true },
            { "name": "flags", "property_type": "flags", "default_value": ["x"], "added_at_version": "3" }] }
        """#,
        "Tag.json":
            #"""
        { "name": "tag", "identifier": { "type": "property", "property": "word" },
          "version_history": [{ "version": "1" }, { "version": "3", "rows": "discard" }],
          "properties": [{ "name": "word", "property_type": "string", "collation": "nocase" },
            { "name": "books", "property_type": { "entity_name": "book", "association": "to_many", "inverse": "tags" } }] }
        """#,
        "Book.json":
            #"""
        { "name": "book", "identifier": { "type": "properties", "properties": ["shelf", "number"] },
          "version_history": [{ "version": "1" }, { "version": "2", "previous_name": "tome" }],
          "indexes": [{ "properties": ["title", "kind"], "unique": true, "version_history": [{ "version": "2" }] }],
          "checks": [{ "name": "few", "where": "pages < 7 OR title IS NULL" },
            { "name": "shelved", "where": { "shelf": [1, 2] }, "version_history": [{ "version": "1" }, { "version": "2", "previous": { "name": "old", "where": "shelf > 0" } }] }],
          "properties": [
            { "name": "shelf", "property_type": "int" }, { "name": "number", "property_type": "uuid" },
            { "name": "title", "property_type": "string", "nullable": true, "indexed": true, "min_length": 1, "pattern": "[A-Z]*" },
            { "name": "pages", "property_type": "int", "minimum": 1, "one_of": [1, 2, 3],
              "version_history": [{ "version": "2", "previous": { "minimum": null, "maximum": 9 }, "fill": 2 }] },
            { "name": "subtitle", "property_type": "string", "version_history": [{ "version": "2", "fill_from": "number" }] },
            { "name": "kind", "property_type": "kind", "default_value": "a" },
            { "name": "places", "property_type": "[place]", "version_history": [{ "version": "2", "fill": [] }] },
            { "name": "home", "property_type": "place", "nullable": true },
            { "name": "friends", "property_type": { "entity_name": "book", "association": "to_many", "inverse": "friends" } },
            { "name": "tags", "stored": true, "property_type": { "entity_name": "tag", "association": "to_many", "inverse": "books" } },
            { "name": "next", "nullable": true, "on_delete": "no_action", "property_type": { "entity_name": "book", "association": "to_one", "inverse": "former" } },
            { "name": "former", "ordered": true, "property_type": { "entity_name": "book", "association": "to_many", "inverse": "next" } },
            { "name": "old", "property_type": "date", "removed_at_version": "3" }] }
        """#,
        "Page.json":
            #"""
        { "name": "page", "identifier": { "type": "string", "name": "no", "derived_from_relationships": ["tag"] },
          "version_history": [{ "version": "1" }, { "version": "2", "migration": "custom" }],
          "removed_at_version": "3", "merged_into": "book",
          "properties": [{ "name": "book", "on_delete": "cascade", "property_type": { "entity_name": "book", "association": "to_one" } }] }
        """#,
    ].map { SourceFile(path: $0.key, bytes: Array($0.value.utf8)) }.sorted { $0.path < $1.path }

    /// The history and the diagnostics of a model of these files.
    private static func describe(_ files: [SourceFile]) -> (history: SchemaHistory?, diagnostics: [Diagnostic]) {
        var settings: VersionSettings?
        if let file = files.first(where: { $0.path.hasSuffix("strata.json") }) {
            do throws(Diagnostic) {
                var reader = try ConfigurationReader.read(file)
                settings = reader.versions()
                if !reader.diagnostics.isEmpty { return (nil, reader.diagnostics) }
            } catch {
                return (nil, [error])
            }
        }
        let descriptions = ValidatedDescriptions(
            reading: files.filter { !$0.path.hasSuffix("strata.json") }, folder: "Model", schema: "TestSchema",
            settings: settings)
        return (descriptions.history, descriptions.diagnostics)
    }

    @Test func `no fault crashes the generator, and every error has a position in the file`() throws {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["STRATA_MUTATIONS"].flatMap(Int.init) ?? 2000
        let seed = environment["STRATA_SEED"].flatMap(UInt64.init) ?? UInt64.random(in: 0...UInt64.max)
        var generator = SplitMix(state: seed)
        let models = try Self.models() + [Self.sampler]
        #expect(models.allSatisfy { $0.count > 2 })
        for model in models {
            let described = Self.describe(model)
            #expect(described.history != nil, "\(described.diagnostics.map(\.description))")
        }
        let templates = try Templates.load()
        var refused = 0
        var generated = 0
        for _ in 0..<count {
            // A complete model, or a single file, which is read much faster.
            let model = models[Int.random(in: 0..<models.count, using: &generator)]
            let place = Int.random(in: 0..<model.count, using: &generator)
            let mutant = SourceFile(path: model[place].path, bytes: Self.mutate(model[place].bytes, &generator))
            let isWhole = model.count < 10 && Int.random(in: 0..<4, using: &generator) > 0
            var files = isWhole ? model : [mutant]
            if isWhole { files[place] = mutant }
            let descriptions = Self.describe(files)
            let errors = descriptions.diagnostics.filter { $0.severity == .error }
            #expect(errors.isEmpty == (descriptions.history != nil), "seed \(seed)")
            refused += errors.isEmpty ? 0 : 1
            for diagnostic in errors { Self.check(diagnostic, files, seed) }
            guard let history = descriptions.history else { continue }
            generated += 1
            do {
                try Self.generate(history, templates)
            } catch {
                Issue.record("seed \(seed): \(error)\n\(String(decoding: mutant.bytes, as: UTF8.self))")
            }
        }
        #expect(refused > count / 4 && generated > count / 50, "seed \(seed): \(generated) of \(count) were generated")
    }

    /// Checks that a diagnostic has a position inside one of the files.
    private static func check(_ diagnostic: Diagnostic, _ files: [SourceFile], _ seed: UInt64) {
        guard let position = diagnostic.position, let file = files.first(where: { $0.path == diagnostic.path }) else {
            if case .sameFileName = diagnostic.problem { return }
            if case .noEntities = diagnostic.problem { return }
            Issue.record("seed \(seed): no place: \(diagnostic)")
            return
        }
        let lines = file.bytes.split(separator: 0x0a, omittingEmptySubsequences: false)
        let isInside =
            (1...lines.count).contains(position.line)
            && (1...lines[position.line - 1].count + 1).contains(position.column)
        #expect(isInside, "seed \(seed): \(diagnostic)")
    }

    /// Generates every file, reads the lock back, and has SQLite create every version and run every inferred step.
    private static func generate(_ history: SchemaHistory, _ templates: [String: String]) throws {
        let options = GenerationOptions(
            module: "Test", access: .public, ddl: .all, structs: .all, codingNames: .descriptions,
            testFolder: .aboveFile,
            sealedCount: history.versions.count)
        let generator = Generator(history: history, templates: templates, options: options)
        _ = try generator.rendered(
            generator.sources() + generator.stubs() + generator.sql() + generator.tests())
        let lock = try Lock(parsing: generator.lock().contents)
        #expect(lock.changes(in: history) == [])
        for version in history.versions {
            _ = try database(version)
            let text = version.tables.flatMap(SchemaText.lines).joined(separator: "\n")
            #expect(try SchemaText.tables(text) == version.tables)
        }
        for (place, step) in history.steps.enumerated() where !step.isCustom {
            // The step alone, and combined with the steps after it.
            var mapping = TableMapping(from: step.from.tables, to: step.to.tables, changes: step.tableChanges)
            try check(mapping, from: step.from, to: step.to)
            let text = step.tableChanges.flatMap(SchemaText.lines).joined(separator: "\n")
            #expect(try SchemaText.changes(text) == step.tableChanges)
            var last = step.to.version
            for next in history.steps[(place + 1)...] where next.from.version == last && !next.isCustom {
                guard let longer = mapping.followed(by: next.tableChanges, to: next.to.tables) else { break }
                mapping = longer
                last = next.to.version
                try check(mapping, from: step.from, to: next.to)
            }
        }
    }

    private static func check(
        _ mapping: TableMapping, from old: ModelVersion, to new: ModelVersion
    ) throws {
        let connection = try database(old)
        let statements = StepStatements(mapping)
        for statement in statements.create + statements.fill { try connection.execute(statement) }
        try connection.execute("PRAGMA legacy_alter_table = OFF")
        for statement in statements.alter { try connection.execute(statement) }
        try connection.execute("PRAGMA legacy_alter_table = ON")
        for statement in statements.finish { try connection.execute(statement) }
        let objects = try objects(connection)
        #expect(try objects == Self.objects(database(new)))
    }

    private static func database(_ version: ModelVersion) throws -> Connection {
        let connection = try Connection(path: ":memory:", mode: .create)
        for table in version.tables {
            for statement in SQLite.create(table) { try connection.execute(statement) }
        }
        return connection
    }

    /// The tables and indexes, by name, with the parts of their definitions sorted.
    private static func objects(_ connection: Connection) throws -> [String: [String]] {
        var objects: [String: [String]] = [:]
        try connection.query("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL") { row in
            if case .text(let name) = row.value(0), case .text(let sql) = row.value(1) {
                objects[name] = SQLText.elements(of: sql).sorted()
            }
        }
        return objects
    }

    /// The bytes with one to three faults: bits flipped, tokens dropped, doubled or swapped, the end cut off.
    private static func mutate(_ bytes: [UInt8], _ generator: inout SplitMix) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...3, using: &generator) where bytes.count > 2 {
            switch Int.random(in: 0..<16, using: &generator) {
            case 0:
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] ^=
                    1 << UInt8.random(in: 0..<8, using: &generator)
            case 1:
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            case 2:
                bytes.removeLast(Int.random(in: 1..<bytes.count, using: &generator))
            case 3..<8:
                // The result may still be a description: one string replaces another.
                var tokens = tokens(bytes)
                let texts = tokens.indices.filter { tokens[$0].contains(0x22) }
                guard let one = texts.randomElement(using: &generator),
                    let other = texts.randomElement(using: &generator)
                else { continue }
                if Bool.random(using: &generator) { tokens.swapAt(one, other) } else { tokens[one] = tokens[other] }
                bytes = Array(tokens.joined())
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

    /// The strings, words and marks of a JSON text, each with the whitespace before it.
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

/// SplitMix64 (https://prng.di.unimi.it/splitmix64.c) gives the same numbers for the same seed on every platform.
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
