import Commands
import Foundation
import StoreCommands
import Strata

/// A store, and the model that it belongs to.
struct Subject {
    let store: URL
    let model: String
    let schema: SchemaDefinition
    /// The tables whose rows a migration keeps; others, such as caches, become empty.
    let keptTables: Set<String>

    private init(_ store: URL, _ model: String, _ schema: SchemaDefinition) {
        (self.store, self.model, self.schema) = (store, model, schema)
        let copy = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer {
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: copy.path + suffix) }
        }
        try? FileManager.default.copyItem(at: store, to: copy)
        let before = FuzzCase.counts(copy).rows
        _ = try? Store(at: copy, definition: schema)
        let tables = Set(schema.versions.last?.tables.map(\.name) ?? [])
        keptTables = tables.intersection(FuzzCase.counts(copy).rows.filter { $0.value >= before[$0.key] ?? 0 }.keys)
    }

    /// Returns all fixtures of the models below a folder.
    static func all(below root: URL) throws -> [Subject] {
        let models = ["Entities", "Tests/Podcasts", "Tests/Consumers"].flatMap {
            ModelFolder.all(below: root.appendingPathComponent($0).path)
        }
        let schemas = try models.map { (model: $0, schema: SchemaDefinition(try $0.loaded())) }
        let paths = FileManager.default.enumerator(
            at: root.appendingPathComponent("Tests"), includingPropertiesForKeys: nil)
        let stores = (paths?.compactMap { $0 as? URL } ?? []).filter {
            $0.pathExtension == "sqlite" && $0.path.contains("/Fixtures/") && !$0.path.contains("/.build/")
        }
        return stores.sorted { $0.path < $1.path }.compactMap { store in
            let name = store.deletingLastPathComponent().lastPathComponent
            return schemas.first { $0.schema.name == name }.map {
                Subject(store, $0.model.path, $0.schema)
            }
        }
    }
}

/// Random numbers that follow from a seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }
}
