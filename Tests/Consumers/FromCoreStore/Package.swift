// swift-tools-version: 6.0
import PackageDescription

// The model was imported from the sources in `CoreStore`:
//     strata import corestore CoreStore --into Sources/Laundries/Model
let package = Package(
    name: "FromCoreStore",
    platforms: [.macOS(.v13), .iOS(.v16)],
    dependencies: [.package(name: "strata", path: "../../..")],
    targets: [
        .target(
            name: "Laundries",
            dependencies: [
                .product(name: "Strata", package: "strata"), .product(name: "StoreConversion", package: "strata"),
            ],
            plugins: [.plugin(name: "StrataBuild", package: "strata")]),
        .testTarget(
            name: "LaundriesTests",
            dependencies: [
                "Laundries", .product(name: "StrataTesting", package: "strata"),
                .product(name: "StrataConversionTesting", package: "strata"),
            ],
            plugins: [.plugin(name: "StrataBuild", package: "strata")]),
    ]
)
