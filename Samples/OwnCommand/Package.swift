// swift-tools-version: 6.2
// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.

import PackageDescription

let package = Package(
    name: "OwnCommand",
    platforms: [.macOS(.v15)],
    dependencies: [
        // The trait adds the commands to the product SoupCommands.
        .package(name: "SoupKit", path: "../..", traits: ["Tools"])
    ],
    targets: [
        .target(name: "JSONFiles", dependencies: [.product(name: "SoupCore", package: "SoupKit")]),
        .executableTarget(
            name: "notes", dependencies: ["JSONFiles", .product(name: "SoupCommands", package: "SoupKit")]),
    ]
)
