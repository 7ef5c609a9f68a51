// swift-tools-version: 6.2
// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.

import PackageDescription

let package = Package(
    name: "CustomTarget",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "SoupKit", path: "../.."),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.5.0"),
    ],
    targets: [
        .target(
            name: "TodoTargets",
            dependencies: [
                .product(name: "SoupCore", package: "SoupKit"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]),
        .target(
            name: "TodoServer",
            dependencies: [
                .product(name: "SoupCore", package: "SoupKit"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]),
        .executableTarget(
            name: "CustomTarget",
            dependencies: ["TodoTargets", "TodoServer", .product(name: "SoupKit", package: "SoupKit")]),
        .testTarget(
            name: "TodoTargetsTests",
            dependencies: [
                "TodoTargets", "TodoServer",
                .product(name: "SoupCore", package: "SoupKit"),
                .product(name: "SoupTesting", package: "SoupKit"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]),
    ]
)
