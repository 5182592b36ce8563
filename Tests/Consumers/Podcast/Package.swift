// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "Podcast",
    platforms: [.macOS(.v13), .iOS(.v16)],
    dependencies: [.package(name: "strata", path: "../../..")],
    targets: [
        .target(
            name: "PodcastApp", dependencies: [.product(name: "Strata", package: "strata")],
            plugins: [.plugin(name: "StrataBuild", package: "strata")]),
        .testTarget(
            name: "PodcastAppTests", dependencies: ["PodcastApp", .product(name: "StrataTesting", package: "strata")],
            plugins: [.plugin(name: "StrataBuild", package: "strata")]),
    ]
)
