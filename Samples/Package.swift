// swift-tools-version: 6.2
// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.

import PackageDescription

let package = Package(
    name: "Samples",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "SoupKit", path: "..")
    ],
    targets: [
        .executableTarget(
            name: "QuickStart",
            dependencies: [
                .product(name: "SoupKit", package: "SoupKit"),
                .product(name: "SoupLocalOrg", package: "SoupKit"),
            ],
            path: "QuickStart/Sources"),
        .executableTarget(
            name: "AccountsAndContacts",
            dependencies: [
                .product(name: "SoupKit", package: "SoupKit"),
                .product(name: "SoupLocalOrg", package: "SoupKit"),
            ],
            path: "AccountsAndContacts/Sources"),
        .executableTarget(
            name: "MRUAndBriefcase",
            dependencies: [
                .product(name: "SoupKit", package: "SoupKit"),
                .product(name: "SoupLocalOrg", package: "SoupKit"),
            ],
            path: "MRUAndBriefcase/Sources"),
        // Its name differs from that of the module ComposedStores in the same package graph.
        .executableTarget(
            name: "ComposedStoresSample",
            dependencies: [
                .product(name: "SoupKit", package: "SoupKit"),
                .product(name: "SoupLocalOrg", package: "SoupKit"),
            ],
            path: "ComposedStores/Sources"),
    ]
)
