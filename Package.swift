// swift-tools-version: 6.2
// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// Each target under Plugins/ and Tools/ has an explicit path, because SwiftPM looks for library targets in Sources/ only.

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

/// The linker settings of a command that loads plug-ins.
///
/// The command exports the symbols of SoupKit, and has the name of the library that plug-ins are linked with, so that
/// the system does not load that library. Only lld gives an executable such a name.
let pluginHostSettings: [LinkerSetting] = [
    .unsafeFlags(
        ["-use-ld=lld", "-Xlinker", "--export-dynamic", "-Xlinker", "-soname=libSoupPluginInterface.so"],
        .when(platforms: [.linux])),
    .unsafeFlags(["-Xlinker", "-export_dynamic"], .when(platforms: [.macOS])),
]

let package = Package(
    name: "SoupKit",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        // What an app depends on.
        .library(name: "SoupKit", targets: ["SoupKit"]),
        .library(name: "SoupKeyValue", targets: ["SoupKeyValue"]),
        .library(name: "SoupBridge", targets: ["SoupBridge"]),
        .library(name: "SoupMetrics", targets: ["SoupMetrics"]),
        .library(name: "SoupEncryption", targets: ["SoupEncryption"]),
        // The parts of SoupKit, for an app that composes its own registry, and for authors of plug-ins.
        .library(name: "SoupCore", targets: ["SoupCore"]),
        .library(name: "SoupStore", targets: ["SoupStore"]),
        .library(name: "SoupSync", targets: ["SoupSync"]),
        .library(name: "SoupHTTP", targets: ["SoupHTTP"]),
        .library(name: "SoupSalesforce", targets: ["SoupSalesforce"]),
        .library(name: "SoupSQLite", targets: ["SoupSQLite"]),
        .library(name: "SoupMemory", targets: ["SoupMemory"]),
        .library(name: "ComposedStores", targets: ["ComposedStores"]),
        .library(name: "SOQLTargets", targets: ["SOQLTargets"]),
        .library(name: "MRUTargets", targets: ["MRUTargets"]),
        .library(name: "ParentChildrenTargets", targets: ["ParentChildrenTargets"]),
        .library(name: "SObjectTargets", targets: ["SObjectTargets"]),
        .library(name: "UIAPITargets", targets: ["UIAPITargets"]),
        .library(name: "BriefcaseTargets", targets: ["BriefcaseTargets"]),
        .library(name: "RESTTargets", targets: ["RESTTargets"]),
        .library(name: "ConflictResolvers", targets: ["ConflictResolvers"]),
        .library(name: "RecordTransforms", targets: ["RecordTransforms"]),
        .library(name: "CredentialStores", targets: ["CredentialStores"]),
        .library(name: "CurlTransport", targets: ["CurlTransport"]),
        // What helps to test one.
        .library(name: "SoupTesting", targets: ["SoupTesting"]),
        .library(name: "SoupLocalOrg", targets: ["SoupLocalOrg"]),
        .library(name: "SoupConformance", targets: ["SoupConformance"]),
        // For plug-ins that `soup` loads at run time: the modules that plug-ins and their tests import. `soup` itself provides
        // the code of all but SoupTesting.
        .library(
            name: "SoupPluginInterface", type: .dynamic,
            targets: ["SoupCore", "SoupHTTP", "SoupSalesforce", "SoupMemory", "SoupTesting"]),
        // The command line, for an executable with plug-ins of your own.
        .library(name: "SoupCommands", targets: ["SoupCommands"]),
        .executable(name: "soup", targets: ["soup"]),
    ],
    // All off by default: an app compiles no server and no command line. The Makefile names the ones it uses.
    traits: [
        .trait(name: "KeyValue", description: "SoupKeyValue on Linux; other platforms do not need it."),
        .trait(name: "Encryption", description: "SoupEncryption: encrypted stores, and providers of their keys."),
        .trait(name: "Metrics", description: "SoupMetrics: metrics and traces of syncs."),
        .trait(name: "Tools", description: "The command line soup."),
        .trait(name: "Server", description: "The local org over HTTP: soup org serve, LocalOrg.serve."),
        .trait(
            name: "TLS", description: "HTTPS for the local org's server, and signature checks of JWT logins.",
            enabledTraits: ["Server"]),
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
        .package(url: "https://github.com/apple/swift-metrics", from: "2.10.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.3.0"),
    ],
    targets: [
        // Sources/: what ships in an app.
        .target(name: "SoupCore", dependencies: [.http]),
        .target(name: "SoupStore", dependencies: ["SoupCore"]),
        .target(
            name: "SoupKeyValue", dependencies: ["SoupCore", .encryptedFiles, .crypto],
            exclude: privacyManifest.exclude,
            resources: privacyManifest.resources),
        .target(name: "SoupSync", dependencies: ["SoupCore", "SoupStore", .http, .log]),
        .target(
            name: "SoupEncryption", dependencies: ["SoupCore", .encryption, .encryptionExtras],
            exclude: privacyManifest.exclude, resources: privacyManifest.resources),
        .target(name: "SoupHTTP", dependencies: ["SoupCore", .http]),
        .target(name: "SoupSalesforce", dependencies: ["SoupCore", "SoupHTTP", .http]),
        .target(name: "SoupTesting", dependencies: ["SoupCore", .http]),
        .target(
            name: "SoupKit",
            dependencies: [
                "SoupCore", "SoupStore", "SoupSync", "SoupHTTP", "SoupSalesforce", "SoupSQLite", "SoupMemory",
                "ComposedStores", "SOQLTargets", "ConflictResolvers", "RecordTransforms", "MRUTargets",
                "ParentChildrenTargets", "SObjectTargets", "UIAPITargets", "BriefcaseTargets", "RESTTargets",
                "CredentialStores", .encryptedFiles,
                .curlTransport, .http, .log,
            ],
            exclude: privacyManifest.exclude, resources: privacyManifest.resources),
        .target(
            name: "SoupBridge",
            dependencies: ["SoupKit", "SoupCore", "SoupStore", "SoupSync", "SoupSalesforce", "SoupSQLite", .http],
            exclude: ["JavaScript/soupkit.d.ts"], resources: [.embedInCode("JavaScript/soupkit.js")]),
        .target(name: "SoupMetrics", dependencies: ["SoupCore", "SoupSync", .metrics, .tracing]),
        // zlib: compression in the local org, decompression in the transport over libcurl.
        .systemLibrary(name: "CSoupZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        // libcurl, the standard transport on Linux.
        .systemLibrary(name: "CSoupCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),

        // Plugins/: each imports SoupCore, and SoupSalesforce if it communicates with Salesforce; never the engine or another
        // plug-in.
        .plugin("SoupSQLite", dependencies: ["SoupCore", .encryptedFiles, .grdb, .sqlite], hasPrivacyManifest: true),
        .plugin("SoupMemory", dependencies: ["SoupCore"]),
        .plugin("ComposedStores", dependencies: ["SoupCore"]),
        .plugin("SOQLTargets", dependencies: ["SoupCore", "SoupSalesforce", .http]),
        .plugin("MRUTargets", dependencies: ["SoupCore", "SoupSalesforce", .http]),
        .plugin("ParentChildrenTargets", dependencies: ["SoupCore", "SoupSalesforce", .http]),
        .plugin("SObjectTargets", dependencies: ["SoupCore", "SoupSalesforce", .http]),
        .plugin("UIAPITargets", dependencies: ["SoupCore", "SoupSalesforce", .http]),
        .plugin("BriefcaseTargets", dependencies: ["SoupCore", "SoupSalesforce", .http]),
        .plugin("RESTTargets", dependencies: ["SoupCore", .http]),
        .plugin("ConflictResolvers", dependencies: ["SoupCore"]),
        .plugin("RecordTransforms", dependencies: ["SoupCore"]),
        .plugin("CredentialStores", dependencies: ["SoupCore"], hasPrivacyManifest: true),
        .plugin("CurlTransport", dependencies: ["SoupCore", "CSoupCurl", "CSoupZlib", .http]),

        // Tools/: what helps to build an app.
        .target(
            name: "SoupLocalOrg",
            dependencies: ["SoupCore", "SoupSalesforce", "SoupLoopback", "CSoupZlib", .grdb, .sqlite, .http]
                + Target.Dependency.server + Target.Dependency.secureServer,
            path: "Tools/SoupLocalOrg", exclude: ["README.md"]),
        // A server for the programs and pages of this machine.
        .target(
            name: "SoupLoopback", dependencies: ["SoupCore", .log] + Target.Dependency.server,
            path: "Tools/SoupLoopback"),
        .target(
            name: "SoupBridgeServer",
            dependencies: ["SoupBridge", "SoupCore", "SoupStore", "SoupSync", "SoupLoopback", .http]
                + Target.Dependency.server,
            path: "Tools/SoupBridgeServer",
            resources: [
                .embedInCode("Inspector/Page/bridge.js"), .embedInCode("Inspector/Page/changes.js"),
                .embedInCode("Inspector/Page/compare.js"), .embedInCode("Inspector/Page/conflicts.js"),
                .embedInCode("Inspector/Page/dialogs.js"), .embedInCode("Inspector/Page/elements.js"),
                .embedInCode("Inspector/Page/entries.js"), .embedInCode("Inspector/Page/format.js"),
                .embedInCode("Inspector/Page/index.html"), .embedInCode("Inspector/Page/inspector.css"),
                .embedInCode("Inspector/Page/inspector.js"), .embedInCode("Inspector/Page/json.js"),
                .embedInCode("Inspector/Page/panel.js"), .embedInCode("Inspector/Page/records.js"),
                .embedInCode("Inspector/Page/soups.js"), .embedInCode("Inspector/Page/sql.js"),
                .embedInCode("Inspector/Page/syncs.js"), .embedInCode("Inspector/Page/table.js"),
            ]),
        .target(
            name: "SoupConformance",
            dependencies: ["SoupCore", "SoupStore", "SoupSalesforce", "SoupTesting", .http],
            path: "Tools/SoupConformance"),
        .target(
            name: "SoupCommands",
            dependencies: [
                "SoupKit", "SoupCore", "SoupStore", "SoupSync", "SoupBridge", "SoupBridgeServer", "SoupLocalOrg",
                "SoupLoopback", "SoupConformance", "CSoupMalloc", .encryptedFiles, .log, .http, .argumentParser,
            ],
            path: "Tools/SoupCommands",
            resources: [
                .embedInCode("New/Templates/Backend.txt"),
                .embedInCode("New/Templates/BackendTests.txt"),
                .embedInCode("New/Templates/Catalog.txt"),
                .embedInCode("New/Templates/Command.txt"),
                .embedInCode("New/Templates/CommandPackage.txt"),
                .embedInCode("New/Templates/CommandReadme.txt"),
                .embedInCode("New/Templates/Entry.txt"),
                .embedInCode("New/Templates/Ignored.txt"),
                .embedInCode("New/Templates/Module.txt"),
                .embedInCode("New/Templates/PluginPackage.txt"),
                .embedInCode("New/Templates/PluginReadme.txt"),
                .embedInCode("New/Templates/RepositoryReadme.txt"),
                .embedInCode("New/Templates/Resolver.txt"),
                .embedInCode("New/Templates/ResolverTests.txt"),
                .embedInCode("New/Templates/Target.txt"),
                .embedInCode("New/Templates/TargetTests.txt"),
            ]),
        // The malloc settings of glibc; empty on other systems.
        .systemLibrary(name: "CSoupMalloc", path: "Tools/CSoupMalloc"),
        .executableTarget(
            name: "soup", dependencies: ["SoupCommands"], path: "Tools/soup", linkerSettings: pluginHostSettings),

        // Tests/. Not a product: the app whose syncs the tests interrupt, break and edit.
        .target(
            name: "SoupTestApp", dependencies: ["SoupLocalOrg", "SoupKit", "SoupCore", "SoupTesting", .grdb],
            path: "Tests/SoupTestApp"),
        // Not a product: the stores of tests, which are encrypted on request.
        .target(name: "SoupTestStores", dependencies: ["SoupSQLite", "SoupTesting"], path: "Tests/SoupTestStores"),
        // Not a product: the fuzzer of scripts/fuzz.sh.
        .executableTarget(
            name: "SoupFuzz",
            dependencies: [
                "SoupCore", "SoupStore", "SoupSalesforce", "SoupSQLite", "SoupMemory", "SoupKit", "SoupBridge",
                "SoupBridgeServer", "SoupTesting", "SoupLocalOrg", "RESTTargets", .sqlite, .http,
            ],
            path: "Tests/Fuzzing/Sources"),

        .testTarget(name: "SoupCoreTests", dependencies: ["SoupCore", "SoupTesting", .http]),
        .testTarget(
            name: "SoupStoreTests",
            dependencies: [
                "SoupStore", "SoupCore", "SoupSQLite", "SoupMemory", "ComposedStores", "SoupTesting", "SoupTestStores",
            ]),
        .testTarget(
            name: "SoupKeyValueTests", dependencies: ["SoupKeyValue", "SoupEncryption", "SoupCore", "SoupTesting"]),
        .testTarget(
            name: "SoupBackendTests",
            dependencies: [
                "SoupStore", "SoupCore", "SoupSQLite", "SoupMemory", "ComposedStores", "SoupTesting", "SoupTestStores",
            ]),
        .testTarget(
            name: "SoupSyncTests",
            dependencies: [
                "SoupSync", "SoupStore", "SoupCore", "SoupSQLite", "SoupMemory", "ComposedStores", "SoupTesting",
                "SoupTestStores", .http, .grdb,
            ]),
        .testTarget(
            name: "SoupMetricsTests",
            dependencies: [
                "SoupMetrics", "SoupKit", "SoupSync", "SoupStore", "SoupCore", "SoupMemory", "SoupLocalOrg",
                "SoupTesting",
                .metrics, .tracing, .metricsTestKit, .inMemoryTracing, .http,
            ]),
        .testTarget(
            name: "SoupEncryptionTests", dependencies: ["SoupEncryption", "SoupCore", "SoupTesting", .encryption]),
        .testTarget(
            name: "SoupHTTPTests", dependencies: ["SoupHTTP", "CredentialStores", "SoupCore", "SoupTesting", .http]),
        .testTarget(
            name: "SoupSalesforceTests",
            dependencies: ["SoupSalesforce", "SoupHTTP", "CredentialStores", "SoupCore", "SoupTesting", .http]),
        .testTarget(name: "SoupTestingTests", dependencies: ["SoupTesting", "SoupCore", .http]),
        .testTarget(
            name: "SoupConformanceTests", dependencies: ["SoupConformance", "SoupLocalOrg", "SoupKit", "SoupCore"]),
        .testTarget(
            name: "SoupLocalOrgTests",
            dependencies: [
                "SoupLocalOrg", "SoupConformance", "SoupKit", "SoupSalesforce", "SoupCore", "SoupTesting", .grdb,
                .http,
            ]),
        .testTarget(
            name: "SoupKitTests",
            dependencies: [
                "SoupKit", "SoupKeyValue", "SoupLocalOrg", "SoupTestApp", "SoupTesting", "SoupCore", "SoupHTTP",
                "SoupStore", "SoupSync", "RESTTargets", .http, .log, .grdb,
            ],
            exclude: ["Fixtures"]),
        .testTarget(
            name: "SoupCommandsTests",
            dependencies: [
                "soup", "SoupCommands", "SoupLocalOrg", "SoupTestApp", "SoupKit", "SoupCore", "SoupTesting", .grdb,
                .argumentParser,
            ]),
        .testTarget(
            name: "SoupBridgeTests",
            dependencies: [
                "SoupBridge", "SoupKit", "SoupLocalOrg", "SoupTesting", "SoupCore", "SoupStore", "SoupSync", .http,
            ]),
        .testTarget(
            name: "SoupBridgeServerTests",
            dependencies: [
                "SoupBridgeServer", "SoupBridge", "SoupSQLite", "SoupTesting", "SoupCore", "SoupStore", .http,
            ]),
        .pluginTests("SoupSQLite", also: ["SoupEncryption", "SoupTestStores", .grdb, .sqlite]),
        .pluginTests("SoupMemory"),
        .pluginTests("ComposedStores", also: ["SoupMemory", "SoupSQLite", "SoupTestStores"]),
        .pluginTests("SOQLTargets", also: ["SoupSalesforce"]),
        .pluginTests("MRUTargets", also: ["SoupSalesforce"]),
        .pluginTests("ParentChildrenTargets", also: ["SoupSalesforce"]),
        .pluginTests("SObjectTargets", also: ["SoupSalesforce"]),
        .pluginTests("UIAPITargets", also: ["SoupSalesforce"]),
        .pluginTests("BriefcaseTargets", also: ["SoupSalesforce"]),
        .pluginTests("RESTTargets"),
        .pluginTests("ConflictResolvers"),
        .pluginTests("RecordTransforms"),
        .pluginTests("CredentialStores"),
        .pluginTests("CurlTransport", also: ["CSoupZlib"]),
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
    /// Hummingbird, and the packages below it that the local org's server imports.
    static var server: [Self] {
        [
            .product("Hummingbird", "hummingbird", trait: "Server"),
            .product("HummingbirdCore", "hummingbird", trait: "Server"),
            .product("NIOCore", "swift-nio", trait: "Server"), .product("NIOPosix", "swift-nio", trait: "Server"),
            .product("ServiceLifecycle", "swift-service-lifecycle", trait: "Server"),
        ]
    }
    /// TLS for that server, and the signatures of JWT logins.
    static var secureServer: [Self] {
        [
            .product("HummingbirdTLS", "hummingbird", trait: "TLS"), .product("NIOSSL", "swift-nio-ssl", trait: "TLS"),
            .product("Crypto", "swift-crypto", trait: "TLS"), .product("CryptoExtras", "swift-crypto", trait: "TLS"),
            .product("X509", "swift-certificates", trait: "TLS"), .product("SwiftASN1", "swift-asn1", trait: "TLS"),
        ]
    }
    /// SHA-256 on systems without CryptoKit.
    static var crypto: Self {
        .product(
            name: "Crypto", package: "swift-crypto",
            condition: .when(platforms: [.linux, .android, .windows], traits: ["KeyValue"]))
    }
    /// The module of encrypted files, which an app compiles only with the trait.
    static var encryptedFiles: Self { .target(name: "SoupEncryption", condition: .when(traits: ["Encryption"])) }
    static var encryption: Self { .product("Crypto", "swift-crypto", trait: "Encryption") }
    static var encryptionExtras: Self { .product("CryptoExtras", "swift-crypto", trait: "Encryption") }
    /// The standard transport on Linux; other platforms use URLSession.
    static var curlTransport: Self { .target(name: "CurlTransport", condition: .when(platforms: [.linux])) }
    static var metrics: Self { .product("CoreMetrics", "swift-metrics", trait: "Metrics") }
    static var metricsTestKit: Self { .product("MetricsTestKit", "swift-metrics", trait: "Metrics") }
    static var tracing: Self { .product("Tracing", "swift-distributed-tracing", trait: "Metrics") }
    static var inMemoryTracing: Self { .product("InMemoryTracing", "swift-distributed-tracing", trait: "Metrics") }
    static var argumentParser: Self { .product("ArgumentParser", "swift-argument-parser", trait: "Tools") }

    /// A product that is only fetched and built if a trait is enabled.
    private static func product(_ product: String, _ package: String, trait: String) -> Self {
        .product(name: product, package: package, condition: .when(traits: [trait]))
    }
}

// One settings loop: every target of this package is compiled under the same rules.
var settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]
// `make check` sets the variable. Other builds succeed with the new warnings of a later compiler.
if Context.environment["SOUPKIT_WARNINGS_AS_ERRORS"] == "1" { settings.append(.treatAllWarnings(as: .error)) }
for target in package.targets where target.type != .system { target.swiftSettings = settings }
// `make check` sets the variable. Without optimization, these modules take a third of the time of the tests. Assertions stay on.
if Context.environment["SOUPKIT_OPTIMIZED_MODULES"] == "1" {
    for target in package.targets where ["SoupCore", "SoupSQLite"].contains(target.name) {
        target.swiftSettings?.append(.unsafeFlags(["-O", "-assert-config", "Debug"]))
    }
}
