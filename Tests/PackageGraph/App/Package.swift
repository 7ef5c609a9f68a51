// swift-tools-version: 6.2
// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// An app that migrates from Salesforce Mobile SDK step by step, and depends on both. See scripts/check-graph.sh.

import PackageDescription

let package = Package(
    name: "App",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "SoupKit", path: "../../.."),
        .package(path: "../MobileSDK"),
    ],
    targets: [
        .executableTarget(
            name: "App",
            dependencies: [
                .product(name: "SoupKit", package: "SoupKit"), .product(name: "MobileSync", package: "MobileSDK"),
            ]),
        // The part that scripts/check-graph.sh builds: with SoupKit itself it would also build SQLite and the engine.
        .executableTarget(
            name: "TwoStores",
            dependencies: [
                .product(name: "SoupStore", package: "SoupKit"), .product(name: "SoupCore", package: "SoupKit"),
                .product(name: "SmartStore", package: "MobileSDK"),
            ]),
    ]
)
