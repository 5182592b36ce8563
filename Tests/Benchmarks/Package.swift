// swift-tools-version: 6.0

import PackageDescription

// `WITHOUT_GRDB=1` in the environment leaves out the comparisons with GRDB, which is then not downloaded. `GRDB_PATH` is the path of
// a copy of GRDB, whose folder is named GRDB.swift.
let hasGRDB = Context.environment["WITHOUT_GRDB"] == nil
let grdb: Package.Dependency =
    Context.environment["GRDB_PATH"].map { .package(path: $0) }
    ?? .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0")

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "strata", path: "../..")]
        + (hasGRDB ? [grdb] : []),
    targets: [
        .target(
            name: "Orders", dependencies: [.product(name: "Strata", package: "strata")],
            plugins: [.plugin(name: "StrataBuild", package: "strata")]),
        .systemLibrary(name: "RawSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .executableTarget(
            name: "Benchmarks",
            dependencies: ["Orders", "RawSQLite", .product(name: "Strata", package: "strata")]
                + (hasGRDB ? [.product(name: "GRDB", package: "GRDB.swift")] : []),
            plugins: [.plugin(name: "StrataBuild", package: "strata")]),
    ],
    swiftLanguageModes: [.v5]
)
