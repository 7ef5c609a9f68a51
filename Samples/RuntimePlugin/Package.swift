// swift-tools-version: 6.2
// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.

import PackageDescription

let package = Package(
    name: "RuntimePlugin",
    platforms: [.macOS(.v15)],
    // The library that `soup --plugin` loads.
    products: [.library(name: "CSVTargets", type: .dynamic, targets: ["CSVTargets"])],
    dependencies: [.package(name: "SoupKit", path: "../..")],
    targets: [
        .target(
            name: "CSVTargets", dependencies: [.product(name: "SoupPluginInterface", package: "SoupKit")],
            // macOS: find the symbols of SoupKit in the command that loads the library.
            linkerSettings: [.unsafeFlags(["-Xlinker", "-flat_namespace"], .when(platforms: [.macOS]))]),
        .testTarget(
            name: "CSVTargetsTests",
            dependencies: ["CSVTargets", .product(name: "SoupPluginInterface", package: "SoupKit")]),
    ]
)
