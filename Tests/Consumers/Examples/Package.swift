// swift-tools-version: 6.0

import PackageDescription

let package = Package(
    name: "Examples",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "strata", path: "../../..")],
    targets: [
        .target(
            name: "Examples", dependencies: [.product(name: "Strata", package: "strata")],
            plugins: [.plugin(name: "StrataBuild", package: "strata")]),
        .testTarget(
            name: "ExamplesTests",
            dependencies: ["Examples", .product(name: "StrataTesting", package: "strata")],
            plugins: [.plugin(name: "StrataBuild", package: "strata")]),
        .target(
            name: "Relations", dependencies: [.product(name: "Strata", package: "strata")],
            plugins: [.plugin(name: "StrataBuild", package: "strata")]),
        .testTarget(
            name: "RelationsTests",
            dependencies: ["Relations", .product(name: "StrataTesting", package: "strata")],
            plugins: [.plugin(name: "StrataBuild", package: "strata")]),
        .target(
            name: "Journal",
            dependencies: [
                .product(name: "StoreConversion", package: "strata"), .product(name: "Strata", package: "strata"),
            ],
            plugins: [.plugin(name: "StrataBuild", package: "strata")]),
        .testTarget(
            name: "JournalTests",
            dependencies: [
                "Journal", .product(name: "StrataConversionTesting", package: "strata"),
                .product(name: "StrataTesting", package: "strata"),
            ],
            plugins: [.plugin(name: "StrataBuild", package: "strata")]),
        .target(
            name: "Notes", dependencies: [.product(name: "Strata", package: "strata")],
            plugins: [.plugin(name: "StrataBuild", package: "strata")]),
        .testTarget(
            name: "NotesTests", dependencies: ["Notes", .product(name: "StrataTesting", package: "strata")],
            plugins: [.plugin(name: "StrataBuild", package: "strata")]),
    ],
    swiftLanguageModes: [.v6]
)
