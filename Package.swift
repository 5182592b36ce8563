// swift-tools-version: 6.2

import PackageDescription

/// The generator as a release contains it, compiled, for the plugins that run it. In a checkout, and with `STRATA_FROM_SOURCE` in the
/// environment, they use its sources; `STRATA_BUNDLE` names another bundle in this package. `.ci/release` sets the address and the checksum.
let prebuilt: (url: String, checksum: String)? = nil

func tool() -> Target {
    if let path = Context.environment["STRATA_BUNDLE"] { return .binaryTarget(name: "StrataTool", path: path) }
    if let prebuilt, Context.environment["STRATA_FROM_SOURCE"] == nil {
        return .binaryTarget(name: "StrataTool", url: prebuilt.url, checksum: prebuilt.checksum)
    }
    return .executableTarget(name: "StrataTool", dependencies: ["Commands"], path: "Sources/Generator/StrataTool")
}

let package = Package(
    name: "strata",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9)],
    products: [
        .library(name: "Strata", targets: ["Strata"]),
        .library(name: "StoreConversion", targets: ["StoreConversion"]),
        .library(name: "StrataTesting", targets: ["StrataTesting"]),
        .library(name: "StrataConversionTesting", targets: ["StrataConversionTesting"]),
        .executable(name: "strata", targets: ["StrataCLI"]),
        .plugin(name: "StrataBuild", targets: ["StrataBuild"]),
        .plugin(name: "StrataCheck", targets: ["StrataCheck"]),
        .plugin(name: "StrataGenerate", targets: ["StrataGenerate"]),
    ],
    targets: [
        // What the generator and the runtime both know: JSON, the tables of a schema as values, and the files that tests
        // write for `release`.
        .target(name: "JSONText", path: "Sources/Core/JSONText"),
        .target(name: "SQLSchema", path: "Sources/Core/SQLSchema"),
        .target(name: "TestFiles", dependencies: ["SQLSchema"], path: "Sources/Core/TestFiles"),

        // What `generate` writes for builds, and the only tool that they need.
        .target(name: "FileSums", path: "Sources/Core/FileSums"),
        .executableTarget(name: "StrataSums", dependencies: ["FileSums"], path: "Sources/Generator/StrataSums"),

        // The generator: descriptions in, text out.
        .target(
            name: "SchemaModel", dependencies: ["JSONText", "SQLSchema"], path: "Sources/Generator/SchemaModel"),
        .target(
            name: "SchemaDiff", dependencies: ["SchemaModel", "SQLSchema"], path: "Sources/Generator/SchemaDiff"),
        .target(
            name: "Descriptions", dependencies: ["JSONText", "SchemaDiff", "SchemaModel", "SQLSchema"],
            path: "Sources/Generator/Descriptions"),
        .target(
            name: "DescriptionEditing",
            dependencies: ["Descriptions", "JSONText", "SchemaModel", "SQLSchema"],
            path: "Sources/Generator/DescriptionEditing"),
        .target(name: "Mustache", path: "Sources/Generator/Mustache"),
        .target(name: "Templates", path: "Templates", resources: [.copy("Document"), .copy("Mustache")]),
        .target(
            name: "Generation", dependencies: ["JSONText", "Mustache", "SchemaDiff", "SchemaModel", "SQLSchema"],
            path: "Sources/Generator/Generation"),
        .target(
            name: "PostgreSQL", dependencies: ["SchemaDiff", "SchemaModel", "SQLSchema"],
            path: "Sources/Generator/PostgreSQL"),
        .target(
            name: "Documents", dependencies: ["Mustache", "SchemaDiff", "SchemaModel", "SQLSchema"],
            path: "Sources/Generator/Documents"),
        .target(
            name: "Commands",
            dependencies: [
                "Descriptions", "Documents", "FileSums", "Generation", "Mustache", "PostgreSQL", "SchemaDiff",
                "SchemaModel", "SQLSchema", "Templates", "TestFiles",
            ],
            path: "Sources/Generator/Commands"),
        tool(),

        // The runtime: stores, rows, migrations.
        .systemLibrary(
            name: "CSQLite", path: "Sources/Runtime/CSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"])]),
        .target(
            name: "Strata", dependencies: ["CSQLite", "JSONText", "SQLSchema"], path: "Sources/Runtime/Strata"),
        .target(
            name: "StrataTesting", dependencies: ["CSQLite", "JSONText", "SQLSchema", "Strata", "TestFiles"],
            path: "Sources/Runtime/StrataTesting"),

        // Models and databases of other libraries.
        .target(
            name: "Importing",
            dependencies: [
                "CSQLite", "DescriptionEditing", "Descriptions", "JSONText", "SchemaDiff", "SchemaModel", "SQLSchema",
                "StoreConversion", "Strata",
            ],
            path: "Sources/Import/Importing"),
        .target(
            name: "StoreConversion", dependencies: ["CSQLite", "JSONText", "SQLSchema", "Strata"],
            path: "Sources/Import/StoreConversion"),
        .target(
            name: "StrataConversionTesting", dependencies: ["SQLSchema", "StoreConversion", "Strata", "StrataTesting"],
            path: "Sources/Import/StrataConversionTesting"),

        // The command-line tool. Its commands edit models, and open databases and servers.
        .target(
            name: "ModelCommands",
            dependencies: [
                "Commands", "DescriptionEditing", "Descriptions", "Documents", "Generation", "JSONText", "SchemaDiff",
                "SchemaModel", "SQLSchema", "Templates",
            ],
            path: "Sources/Tools/ModelCommands"),
        .target(
            name: "StoreCommands",
            dependencies: [
                "Commands", "Documents", "Importing", "JSONText", "SchemaDiff", "SchemaModel", "SQLSchema",
                "StoreConversion", "Strata",
            ],
            path: "Sources/Tools/StoreCommands"),
        .target(
            name: "ServerCommands",
            dependencies: [
                "Commands", "JSONText", "PostgreSQL", "SchemaModel", "SQLSchema", "StoreCommands", "Strata",
            ],
            path: "Sources/Tools/ServerCommands"),
        .executableTarget(
            name: "StrataCLI", dependencies: ["Commands", "ModelCommands", "ServerCommands", "StoreCommands"],
            path: "Sources/Tools/StrataCLI"),

        // The plugins: arguments only.
        .plugin(name: "StrataBuild", capability: .buildTool(), dependencies: ["StrataTool"]),
        .plugin(name: "StrataCheck", capability: .buildTool(), dependencies: ["StrataSums"]),
        .plugin(
            name: "StrataGenerate",
            capability: .command(
                intent: .custom(verb: "generate", description: "Generate models, SQL, migrations and tests."),
                permissions: [
                    .writeToPackageDirectory(reason: "Writes the generated sources, SQL, stubs and tests.")
                ]
            ),
            dependencies: ["StrataTool"]
        ),

        // The models that this package lives with: one committed, one generated by each build.
        .target(name: "Laundry", dependencies: ["Strata"], path: "Entities/Laundry", plugins: ["StrataBuild"]),
        .target(name: "Movies", dependencies: ["Strata"], path: "Entities/Movies", plugins: ["StrataBuild"]),

        .testTarget(name: "ArchitectureTests", dependencies: ["Strata"]),
        .testTarget(name: "SQLSchemaTests", dependencies: ["SQLSchema", "Strata"]),
        .testTarget(name: "SchemaModelTests", dependencies: ["SchemaModel"]),
        .testTarget(name: "SchemaDiffTests", dependencies: ["SchemaDiff", "SchemaModel", "SQLSchema"]),
        .testTarget(
            name: "DescriptionsTests",
            dependencies: ["DescriptionEditing", "Descriptions", "JSONText", "SchemaDiff", "SchemaModel", "SQLSchema"],
            exclude: ["Invalid"]),
        .testTarget(name: "MustacheTests", dependencies: ["Mustache"]),
        .testTarget(
            name: "DocumentsTests",
            dependencies: ["Commands", "Documents"]),
        .testTarget(
            name: "GenerationTests",
            dependencies: [
                "Commands", "Descriptions", "FileSums", "Generation", "ModelCommands", "Mustache", "SchemaDiff",
                "SchemaModel", "SQLSchema", "StoreCommands", "Strata", "Templates", "TestFiles",
            ]),
        .testTarget(
            name: "ImportingTests",
            dependencies: [
                "Commands", "Descriptions", "Importing", "ModelCommands", "SchemaDiff", "SchemaModel", "SQLSchema",
                "StoreCommands", "StoreConversion", "Strata",
            ]),
        .testTarget(
            name: "StrataTests",
            dependencies: [
                "CSQLite", "Descriptions", "SchemaDiff", "SchemaModel", "SQLSchema", "StoreCommands", "Strata",
            ]),
        .testTarget(
            name: "ServerTests",
            dependencies: [
                "Commands", "PostgreSQL", "SchemaDiff", "SchemaModel", "ServerCommands", "SQLSchema", "StoreCommands",
                "Strata",
            ]),
        .testTarget(
            name: "StrataTestingTests",
            dependencies: [
                "MigrationFaults", "SQLSchema", "Strata", "StrataConversionTesting", "StrataTesting", "TestFiles",
            ]),
        .target(name: "CFaultVFS", dependencies: ["CSQLite"], path: "Tests/CFaultVFS"),
        .target(name: "ChainSchema", dependencies: ["SQLSchema", "Strata"], path: "Tests/ChainSchema"),
        .executableTarget(
            name: "MigratingChild", dependencies: ["CFaultVFS", "ChainSchema", "StoreConversion", "Strata"],
            path: "Tests/MigratingChild"),
        .executableTarget(
            name: "ModelDriver",
            dependencies: ["Commands", "ModelCommands", "SQLSchema", "StoreCommands", "Strata"],
            path: "Tests/Measures/random-models/Driver"),
        .executableTarget(
            name: "FileFuzzer", dependencies: ["Commands", "SQLSchema", "StoreCommands", "Strata"],
            path: "Tests/Measures/files/Fuzzer"),
        .testTarget(
            name: "FaultTests",
            dependencies: [
                "CFaultVFS", "ChainSchema", "Laundry", "MigratingChild", "Movies", "StoreConversion", "Strata",
            ]),
        .testTarget(
            name: "DocumentationTests",
            dependencies: [
                "Commands", "Descriptions", "Laundry", "Movies", "StoreConversion", "Strata", "StrataConversionTesting",
                "StrataTesting",
            ],
            exclude: ["PublicSurface"]),
        .target(
            name: "MigrationFaults", dependencies: ["SQLSchema", "Strata", "StrataTesting"],
            path: "Tests/MigrationFaults"),
        .target(name: "Podcasts", dependencies: ["Strata"], path: "Tests/Podcasts", plugins: ["StrataBuild"]),
        .testTarget(
            name: "PodcastsTests", dependencies: ["CSQLite", "Podcasts", "Strata", "StrataTesting"],
            plugins: ["StrataBuild"]),
        .target(name: "Seeds", dependencies: ["Strata"], path: "Tests/Seeds", plugins: ["StrataBuild"]),
        .testTarget(
            name: "SeedTests",
            dependencies: ["Laundry", "Movies", "Seeds", "SQLSchema", "Strata", "StrataTesting"],
            plugins: ["StrataBuild"]),
        .testTarget(
            name: "LaundryTests", dependencies: ["Laundry", "MigrationFaults", "Strata", "StrataTesting"],
            plugins: ["StrataBuild"]),
        .testTarget(
            name: "MoviesTests", dependencies: ["MigrationFaults", "Movies", "StrataTesting"], plugins: ["StrataBuild"]),
    ],
    swiftLanguageModes: [.v6]
)
