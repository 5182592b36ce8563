// swift-tools-version: 6.0

import PackageDescription

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "strata", path: "../..")],
    targets: [
        .systemLibrary(name: "RawSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .executableTarget(
            name: "Benchmarks", dependencies: ["RawSQLite", .product(name: "Strata", package: "strata")],
            plugins: [.plugin(name: "StrataBuild", package: "strata")]),
    ],
    swiftLanguageModes: [.v5]
)
