// swift-tools-version: 6.0

import PackageDescription

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(name: "strata", path: "../.."),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    ],
    targets: [
        .target(
            name: "Orders", dependencies: [.product(name: "Strata", package: "strata")],
            plugins: [.plugin(name: "StrataBuild", package: "strata")]),
        .systemLibrary(name: "RawSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "Orders", "RawSQLite", .product(name: "Strata", package: "strata"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            plugins: [.plugin(name: "StrataBuild", package: "strata")]),
    ],
    swiftLanguageModes: [.v5]
)
