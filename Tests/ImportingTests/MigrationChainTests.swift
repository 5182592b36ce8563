import Foundation
import Testing

@testable import Importing

/// The order of the versions of a CoreStore model.
@Suite struct MigrationChainTests {
    let work: Workspace
    init() throws { work = try Workspace() }

    private static func sources(_ use: String) -> String {
        """
        class A: CoreStoreObject { @Field.Stored("x") var x: Int? }
        enum Old {
            static let name: ModelVersion = "V2"
            static let schema = CoreStoreSchema(modelVersion: name, entities: [Entity<A>("A")])
        }
        enum New {
            static let name: ModelVersion = "V1"
            static let schema = CoreStoreSchema(modelVersion: New.name, entities: [Entity<A>("A")])
        }
        \(use)
        """
    }

    @Test(arguments: [
        #"let chain: MigrationChain = ["V2", "V1"]; let stack = DataStack(migrationChain: chain)"#,
        #"let stack = DataStack(migrationChain: MigrationChain(["V2", "V1"]))"#,
        #"let stack = DataStack(migrationChain: .init(["V2": "V1"]))"#,
        #"let migrationChain = MigrationChain([Old.name, New.name]); let stack = DataStack(migrationChain: migrationChain)"#,
        #"enum K { static let chain = ["V2": "V1"] }; let stack = DataStack(migrationChain: MigrationChain.init(K.chain))"#,
        #"func make(migrationChain: MigrationChain = ["V2", "V1"]) {}"#,
        #"let a = DataStack(migrationChain: ["V2", "V1"]); let b = DataStack(migrationChain: ["V2": "V1"])"#,
        #"func f(migrationChain: [ModelVersion]) {}; let stack = DataStack(migrationChain: ["V2", "V1"])"#,
    ]) func `a chain is read where it is written`(_ use: String) throws {
        try work.write(Self.sources(use), to: "A.swift")
        let versions = try CoreStoreModels.read(work.path("A.swift")).versions
        #expect(versions.map(\.version.name) == ["V2", "V1"])
    }

    @Test(arguments: [
        "func f(migrationChain: [ModelVersion]) {}", "func f(migrationChain: [String: String]) {}",
        "let stack = DataStack(migrationChain: nil)", "let stack = DataStack(migrationChain: MigrationChain([]))",
        "let stack = DataStack(migrationChain: [:])",
    ]) func `without a chain, the versions have the order of their names`(_ use: String) throws {
        try work.write(Self.sources(use), to: "A.swift")
        let versions = try CoreStoreModels.read(work.path("A.swift")).versions
        #expect(versions.map(\.version.name) == ["V1", "V2"])
    }

    @Test(arguments: [
        ("DataStack(migrationChain: make())", "the migration chain is not written with literals"),
        (
            #"var chain: MigrationChain = ["V2", "V1"]; DataStack(migrationChain: chain)"#,
            "the migration chain is not written with literals"
        ),
        (
            #"func f(chain: MigrationChain) { DataStack(migrationChain: chain) }; let chain: MigrationChain = ["V2", "V1"]"#,
            "the migration chain is not written with literals"
        ),
        (#"DataStack(migrationChain: ["V2"] + ["V1"])"#, "the migration chain is not written with literals"),
        (#"DataStack(migrationChain: ["V" + "2", "V1"])"#, "the migration chain is not written with literals"),
        (#"DataStack(migrationChain: ["V1": "V2", "V2": "V1"])"#, "the migration chain is a cycle: V1, V2, V1"),
        (#"DataStack(migrationChain: ["V1": "V2", "V2": "V2"])"#, "the migration chain is a cycle: V2, V2"),
        (#"DataStack(migrationChain: ["V1", "V2", "V1"])"#, "the migration chain is a cycle: V1, V2, V1"),
        (
            #"DataStack(migrationChain: ["V1": "V3", "V2": "V3"])"#,
            "the migration chain branches: V1 and V2 migrate to V3; import a chain in which each version migrates to the next "
                + #"one, and write the steps that skip versions as "chain" in strata.json"#
        ),
        (
            #"DataStack(migrationChain: ["V1": "V2", "V1": "V3"])"#,
            "the migration chain names two versions after V1: V2, V3"
        ),
        (
            #"DataStack(migrationChain: ["V1": "V2", "V3": "V4"])"#,
            "the migration chain has several first versions: V1, V3"
        ),
        (
            #"DataStack(migrationChain: ["V1"]); DataStack(migrationChain: ["V2", "V1"])"#,
            "A.swift:10 has another migration chain; import the sources with one of them"
        ),
    ]) func `another chain is an error in its line`(_ use: String, _ message: String) throws {
        try work.write(Self.sources(use), to: "A.swift")
        let run = work.run("import", "corestore", work.path("A.swift"), "--into", work.path("Model"))
        #expect(run.complaints == ["A.swift:10: error: " + message])
    }
}
