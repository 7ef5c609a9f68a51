// swift-tools-version: 6.2
// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// Plug-ins are library targets under Plugins/, which SwiftPM reserves for build plug-ins: each needs an explicit path.

import PackageDescription

/// The privacy manifest of a module that calls one of the APIs for which Apple asks for reasons.
///
/// On Linux it is left out: a module with resources links all of Foundation, and every program that uses the module would
/// have a folder beside it.
#if canImport(Darwin)
    let privacyManifest: (resources: [Resource], exclude: [String]) = ([.process("PrivacyInfo.xcprivacy")], [])
#else
    let privacyManifest: (resources: [Resource], exclude: [String]) = ([], ["PrivacyInfo.xcprivacy"])
#endif

let package = Package(
    name: "SoupKit",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "SoupKit", targets: ["SoupKit"]),
        .library(name: "SoupCore", targets: ["SoupCore"]),
        .library(name: "SmartStore", targets: ["SmartStore"]),
        .library(name: "MobileSync", targets: ["MobileSync"]),
        .library(name: "SalesforceAPI", targets: ["SalesforceAPI"]),
        .library(name: "SQLiteStore", targets: ["SQLiteStore"]),
        .library(name: "MemoryStore", targets: ["MemoryStore"]),
        .library(name: "SOQLTargets", targets: ["SOQLTargets"]),
        .library(name: "MRUTargets", targets: ["MRUTargets"]),
        .library(name: "ParentChildrenTargets", targets: ["ParentChildrenTargets"]),
        .library(name: "SObjectTargets", targets: ["SObjectTargets"]),
        .library(name: "UIAPITargets", targets: ["UIAPITargets"]),
        .library(name: "BriefcaseTargets", targets: ["BriefcaseTargets"]),
        .library(name: "ConflictResolvers", targets: ["ConflictResolvers"]),
        .library(name: "CurlTransport", targets: ["CurlTransport"]),
        .library(name: "LocalOrg", targets: ["LocalOrg"]),
        .library(name: "SoupTesting", targets: ["SoupTesting"]),
        .library(name: "Conformance", targets: ["Conformance"]),
        .executable(name: "soup", targets: ["soup"]),
    ],
    traits: [
        .trait(name: "Tools", description: "The local org's server and the soup command line."),
        .trait(
            name: "TLS", description: "https for the local org's server, and checks of signed logins.",
            enabledTraits: ["Tools"]),
        .default(enabledTraits: ["Tools", "TLS"]),
    ],
    dependencies: [
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.20.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.90.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.2"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.20.0"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.8.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-crypto", "3.12.3"..<"5.0.0"),
        .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.4.5"),
    ],
    targets: [
        // The nouns and the boundaries.
        .target(name: "SoupCore", dependencies: [.http]),
        .target(
            name: "SmartStore", dependencies: ["SoupCore", .crypto], exclude: privacyManifest.exclude,
            resources: privacyManifest.resources),
        .target(name: "MobileSync", dependencies: ["SoupCore", "SmartStore", .http, .log]),
        .target(name: "SalesforceAPI", dependencies: ["SoupCore", .http]),
        .target(name: "SoupTesting", dependencies: ["SoupCore", .http]),
        .target(name: "Conformance", dependencies: ["SoupCore", "SmartStore", "SalesforceAPI", "SoupTesting", .http]),
        // zlib, which packs and unpacks the local org's bodies, and unpacks answers for the transport over libcurl.
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        // libcurl, the standard transport on Linux.
        .systemLibrary(name: "CSoupCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        // How glibc gives memory back; empty elsewhere.
        .systemLibrary(name: "CMalloc"),
        .target(
            name: "LocalOrg",
            dependencies: ["SoupCore", "SalesforceAPI", "CZlib", .grdb, .sqlite, .http, .log, .crypto]
                + Target.Dependency.server + Target.Dependency.secureServer,
            exclude: ["README.md"]),
        .target(
            name: "SoupKit",
            dependencies: [
                "SoupCore", "SmartStore", "MobileSync", "SalesforceAPI", "SQLiteStore", "MemoryStore", "SOQLTargets",
                "ConflictResolvers", "MRUTargets", "ParentChildrenTargets", "SObjectTargets", "UIAPITargets",
                "BriefcaseTargets", .curlTransport, .http, .log,
            ],
            exclude: privacyManifest.exclude, resources: privacyManifest.resources),
        // Without the trait Tools an empty command, so that the package builds without ArgumentParser.
        .executableTarget(
            name: "soup",
            dependencies: [
                "SoupKit", "SoupCore", "SmartStore", "MobileSync", "LocalOrg", "Conformance", "CMalloc", .log,
                .argumentParser,
            ]),

        // Damaged input for what reads text from outside; no product, see scripts/fuzz.sh.
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "SoupCore", "SalesforceAPI", "SQLiteStore", "SoupKit", "SoupTesting", "LocalOrg", .sqlite, .http,
            ],
            path: "Tests/Fuzzing/Sources"),

        // The plug-ins: each sees SoupCore, and SalesforceAPI if it speaks to Salesforce; never the engine, never another.
        .plugin("SQLiteStore", dependencies: ["SoupCore", .grdb, .sqlite], hasPrivacyManifest: true),
        .plugin("MemoryStore", dependencies: ["SoupCore"]),
        .plugin("SOQLTargets", dependencies: ["SoupCore", "SalesforceAPI", .http]),
        .plugin("MRUTargets", dependencies: ["SoupCore", "SalesforceAPI", .http]),
        .plugin("ParentChildrenTargets", dependencies: ["SoupCore", "SalesforceAPI", .http]),
        .plugin("SObjectTargets", dependencies: ["SoupCore", "SalesforceAPI", .http]),
        .plugin("UIAPITargets", dependencies: ["SoupCore", "SalesforceAPI", .http]),
        .plugin("BriefcaseTargets", dependencies: ["SoupCore", "SalesforceAPI", .http]),
        .plugin("ConflictResolvers", dependencies: ["SoupCore"]),
        .plugin("CurlTransport", dependencies: ["SoupCore", "CSoupCurl", "CZlib", .http]),

        // The app of accounts and contacts whose syncs are broken, killed and edited in the tests below; no product.
        .target(name: "TestApp", dependencies: ["LocalOrg", "SoupKit"], path: "Tests/TestApp"),

        .testTarget(name: "SoupCoreTests", dependencies: ["SoupCore", "SoupTesting", .http]),
        .testTarget(
            name: "SmartStoreTests",
            dependencies: ["SmartStore", "SoupCore", "SQLiteStore", "MemoryStore", "SoupTesting"]),
        .testTarget(
            name: "StoreBackendTests",
            dependencies: ["SmartStore", "SoupCore", "SQLiteStore", "MemoryStore", "SoupTesting"]),
        .testTarget(
            name: "MobileSyncTests",
            dependencies: ["MobileSync", "SmartStore", "SoupCore", "SQLiteStore", "SoupTesting", .http, .grdb]),
        .testTarget(name: "SalesforceAPITests", dependencies: ["SalesforceAPI", "SoupCore", "SoupTesting", .http]),
        .testTarget(name: "SoupTestingTests", dependencies: ["SoupTesting", "SoupCore", .http]),
        .testTarget(name: "ConformanceTests", dependencies: ["Conformance", "LocalOrg", "SoupKit", "SoupCore"]),
        .testTarget(
            name: "LocalOrgTests",
            dependencies: [
                "LocalOrg", "Conformance", "SoupKit", "SalesforceAPI", "SoupCore", "SoupTesting", .grdb, .http,
            ]),
        .testTarget(
            name: "SoupKitTests",
            dependencies: [
                "SoupKit", "LocalOrg", "TestApp", "SoupTesting", "SoupCore", "SmartStore", "MobileSync", .http,
                .log,
            ],
            exclude: ["Fixtures"]),
        .testTarget(
            name: "CommandLineTests",
            dependencies: ["soup", "LocalOrg", "TestApp", "SoupKit", "SoupCore", "SoupTesting", .grdb]),
        .pluginTests("SQLiteStore", also: [.grdb, .sqlite]),
        .pluginTests("MemoryStore"),
        .pluginTests("SOQLTargets", also: ["SalesforceAPI"]),
        .pluginTests("MRUTargets", also: ["SalesforceAPI"]),
        .pluginTests("ParentChildrenTargets", also: ["SalesforceAPI"]),
        .pluginTests("SObjectTargets", also: ["SalesforceAPI"]),
        .pluginTests("UIAPITargets", also: ["SalesforceAPI"]),
        .pluginTests("BriefcaseTargets", also: ["SalesforceAPI"]),
        .pluginTests("ConflictResolvers"),
        .pluginTests("CurlTransport", also: ["CZlib"]),
    ]
)

extension Target {
    /// A plug-in's library target.
    static func plugin(
        _ name: String, dependencies: [Target.Dependency], hasPrivacyManifest: Bool = false
    ) -> Target {
        .target(
            name: name, dependencies: dependencies, path: "Plugins/\(name)/Sources",
            exclude: hasPrivacyManifest ? privacyManifest.exclude : [],
            resources: hasPrivacyManifest ? privacyManifest.resources : [])
    }

    /// The tests of a plug-in: they may use the suites of SoupTesting, and nothing a plug-in author does not have.
    static func pluginTests(_ name: String, also: [Target.Dependency] = []) -> Target {
        .testTarget(
            name: "\(name)Tests",
            dependencies: [.byName(name: name), "SoupCore", "SoupTesting", .http] + also,
            path: "Plugins/\(name)/Tests")
    }
}

extension Target.Dependency {
    static var http: Self { .product(name: "HTTPTypes", package: "swift-http-types") }
    static var log: Self { .product(name: "Logging", package: "swift-log") }
    static var grdb: Self { .product(name: "GRDB", package: "GRDB.swift") }
    static var sqlite: Self { .product(name: "GRDBSQLite", package: "GRDB.swift") }
    /// Hummingbird, with the parts of it and below it that the local org's server names itself.
    static var server: [Self] {
        [
            tool("Hummingbird", "hummingbird"), tool("HummingbirdCore", "hummingbird"), tool("NIOCore", "swift-nio"),
            tool("NIOPosix", "swift-nio"), tool("ServiceLifecycle", "swift-service-lifecycle"),
        ]
    }
    /// What the server needs to speak TLS, and to check the signatures of logins.
    static var secureServer: [Self] {
        [
            tool("HummingbirdTLS", "hummingbird", trait: "TLS"), tool("NIOSSL", "swift-nio-ssl", trait: "TLS"),
            tool("CryptoExtras", "swift-crypto", trait: "TLS"),
            tool("X509", "swift-certificates", trait: "TLS"), tool("SwiftASN1", "swift-asn1", trait: "TLS"),
        ]
    }
    /// Hashes where there is no CryptoKit.
    static var crypto: Self {
        .product(name: "Crypto", package: "swift-crypto", condition: .when(platforms: [.linux, .android, .windows]))
    }
    /// The standard transport on Linux; URLSession is that of the other platforms.
    static var curlTransport: Self { .target(name: "CurlTransport", condition: .when(platforms: [.linux])) }
    static var argumentParser: Self { tool("ArgumentParser", "swift-argument-parser") }

    /// A product that only a trait brings in.
    private static func tool(_ product: String, _ package: String, trait: String = "Tools") -> Self {
        .product(name: product, package: package, condition: .when(traits: [trait]))
    }
}

// One settings loop: every target of this package is compiled under the same rules.
for target in package.targets where target.type != .system {
    target.swiftSettings = [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
