// swift-tools-version: 6.2
// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.

import PackageDescription

let package = Package(
    name: "Samples",
    platforms: [.macOS(.v15)],
    dependencies: [
        // With its tools, but without https: the samples talk to the local org. An app of yours says `traits: []`.
        .package(name: "SoupKit", path: "..", traits: ["Tools"])
    ],
    targets: [
        .executableTarget(
            name: "QuickStart",
            dependencies: [
                .product(name: "SoupKit", package: "SoupKit"),
                .product(name: "LocalOrg", package: "SoupKit"),
            ],
            path: "QuickStart/Sources")
    ]
)
