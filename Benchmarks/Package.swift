// swift-tools-version: 6.2
// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// A package of its own, so that nothing that only the benchmarks need is ever fetched or built by a user of SoupKit.

import PackageDescription

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "SoupKit", path: "..", traits: ["Encryption"]),
        // For its module of the system's SQLite: every contestant is linked to the same library.
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        // For the requests of the transport benchmark.
        .package(url: "https://github.com/apple/swift-http-types", from: "1.5.0"),
    ],
    targets: [
        .target(
            name: "CBaseline",
            dependencies: [.product(name: "GRDBSQLite", package: "GRDB.swift")],
            cSettings: [.unsafeFlags(["-O3"], .when(configuration: .release))]),
        .executableTarget(
            name: "benchmarks",
            dependencies: [
                "CBaseline",
                .product(name: "SoupCore", package: "SoupKit"),
                .product(name: "SoupSQLite", package: "SoupKit"),
                .product(name: "SoupTesting", package: "SoupKit"),
                .product(name: "SoupSalesforce", package: "SoupKit"),
                .product(name: "SoupKit", package: "SoupKit"),
                .product(name: "SoupBridge", package: "SoupKit"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ]),
    ]
)
