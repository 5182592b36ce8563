// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "Shop",
    platforms: [.macOS(.v13), .iOS(.v16)],
    dependencies: [.package(name: "strata", path: "../../..")],
    targets: [
        .target(
            name: "Shop", dependencies: [.product(name: "Strata", package: "strata")],
            plugins: [.plugin(name: "StrataBuild", package: "strata")]),
        .testTarget(
            name: "ShopTests", dependencies: ["Shop", .product(name: "StrataTesting", package: "strata")],
            plugins: [.plugin(name: "StrataBuild", package: "strata")]),
    ]
)
