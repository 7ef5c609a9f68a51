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
        .sample("QuickStart"),
        .sample("AccountsAndContacts"),
        .sample("MRUAndBriefcase"),
        // Its name differs from that of the module ComposedStores in the same package graph.
        .sample("ComposedStoresSample", folder: "ComposedStores"),
        .sample("AppGroupSample", folder: "AppGroup"),
    ]
)

extension Target {
    /// A program that uses SoupKit and the local org.
    static func sample(_ name: String, folder: String? = nil) -> Target {
        .executableTarget(
            name: name,
            dependencies: [
                .product(name: "SoupKit", package: "SoupKit"), .product(name: "SoupLocalOrg", package: "SoupKit"),
            ],
            path: "\(folder ?? name)/Sources")
    }
}
