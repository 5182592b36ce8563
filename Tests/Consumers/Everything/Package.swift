// swift-tools-version: 6.0

import PackageDescription

let package = Package(
    name: "Everything",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "strata", path: "../../..")],
    targets: [
        .target(
            name: "Everything", dependencies: [.product(name: "Strata", package: "strata")],
            plugins: [.plugin(name: "StrataBuild", package: "strata")]),
        .target(
            name: "EverythingSupport",
            dependencies: ["Everything", .product(name: "StrataTesting", package: "strata")],
            plugins: [.plugin(name: "StrataBuild", package: "strata")]),
        .testTarget(
            name: "EverythingTests",
            dependencies: ["Everything", "EverythingSupport", .product(name: "StrataTesting", package: "strata")],
            plugins: [.plugin(name: "StrataBuild", package: "strata")]),
    ],
    swiftLanguageModes: [.v6]
)
