// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "App",
    platforms: [.macOS(.v13), .iOS(.v16)],
    dependencies: [.package(name: "strata", path: "../../..")],
    targets: [
        .target(
            name: "App", dependencies: [.product(name: "Strata", package: "strata")],
            plugins: [.plugin(name: "StrataCheck", package: "strata")]),
        .testTarget(
            name: "AppTests", dependencies: ["App", .product(name: "StrataTesting", package: "strata")],
            plugins: [.plugin(name: "StrataCheck", package: "strata")]),
    ]
)
