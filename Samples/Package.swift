// swift-tools-version: 6.2
// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.

import PackageDescription

let package = Package(
    name: "Samples",
    platforms: [.macOS(.v15)],
    dependencies: [
        // `traits: []`: the local org runs inside the sample, which needs neither its server nor the command line.
        .package(name: "SoupKit", path: "..", traits: [])
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
