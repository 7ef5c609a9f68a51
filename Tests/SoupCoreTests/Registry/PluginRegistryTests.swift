// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Testing

@Suite struct PluginRegistryTests {
    struct Weather: SyncDownTarget {
        struct Configuration: Decodable, Sendable { var station: String }
        static let name: PluginName = "weather"
        static let aliases: [PluginName] = ["WeatherTarget", "org.example.WeatherTarget"]
        let station: String
        init(configuration: Configuration) throws {
            guard configuration.station != "closed" else { throw SoupError("stationClosed", "the station is closed") }
            station = configuration.station
        }
        func page(after cursor: PageCursor?, in context: SyncContext) async throws -> RecordPage { RecordPage(.empty) }
    }

    struct SecondTarget: SyncDownTarget {
        struct Configuration: Decodable, Sendable {}
        static let name: PluginName = "second"
        static let aliases: [PluginName] = ["WeatherTarget"]
        init(configuration: Configuration) {}
        func page(after cursor: PageCursor?, in context: SyncContext) async throws -> RecordPage { RecordPage(.empty) }
    }

    struct Collection: SyncUpTarget {
        struct Configuration: Decodable, Sendable {}
        static let name: PluginName = "rest"
        init(configuration: Configuration) {}
        func push(_ changes: [RecordChange], in context: SyncContext) async throws -> [PushOutcome] {
            changes.map { _ in .ok() }
        }
    }

    struct Posting: SyncUpTarget {
        struct Configuration: Decodable, Sendable {}
        static let name: PluginName = "posting"
        init(configuration: Configuration) {}
        func push(_ changes: [RecordChange], in context: SyncContext) async throws -> [PushOutcome] { [] }
    }

    static func registry() throws -> PluginRegistry {
        var registry = PluginRegistry()
        try registry.register(down: Weather.self)
        try registry.register(up: Collection.self, isDefault: true)
        return registry
    }

    @Test(
        arguments: [
            ["type": "weather", "station": "Oslo"],
            ["type": "custom", "iOSImpl": "WeatherTarget", "station": "Oslo"],
            ["type": "custom", "androidImpl": "org.example.WeatherTarget", "iOSImpl": "", "station": "Oslo"],
            ["type": "soql", "AndroidImpl": "org.example.WeatherTarget", "iOSImpl": "Unknown", "station": "Oslo"],
            ["swiftImpl": "weather", "station": "Oslo"],
        ] as [JSONValue])
    func `A target is found by type and by class`(target: JSONValue) throws {
        var problems: [ConfigurationProblem] = []
        let found = try Self.registry().downTarget(TargetReference(target), problems: &problems)
        #expect((found as? Weather)?.station == "Oslo")
        #expect(problems == [])
    }

    @Test func `An unregistered class is a problem despite a known type`() throws {
        var problems: [ConfigurationProblem] = []
        let target: JSONValue = ["type": "weather", "iOSImpl": "WeatherTarge", "station": "Oslo"]
        #expect(
            try Self.registry().downTarget(
                TargetReference(target), at: [.key("syncs"), .index(3), .key("target")], problems: &problems) == nil)
        #expect(
            problems.map(\.description) == [
                #"syncs[3].target.iOSImpl: no sync-down target "WeatherTarge" is registered. Known: weather. Did you mean "WeatherTarget"?"#
            ])
    }

    @Test func `A target needs a type, and a custom one its class`() throws {
        var problems: [ConfigurationProblem] = []
        #expect(try Self.registry().downTarget(TargetReference(["type": "custom"]), problems: &problems) == nil)
        #expect(try Self.registry().downTarget(TargetReference(["station": "Oslo"]), problems: &problems) == nil)
        #expect(
            problems.map(\.message) == [
                #"a target of type "custom" must name its class"#, #"the target has no "type""#,
            ])
    }

    @Test func `A sync up without a name uses the default target`() throws {
        var problems: [ConfigurationProblem] = []
        #expect(try Self.registry().defaultUpTarget == "rest")
        #expect(try Self.registry().upTarget(TargetReference([:]), problems: &problems) is Collection)
        #expect(problems == [])
    }

    @Test func `Without a default target, a sync up needs a name`() throws {
        var registry = PluginRegistry()
        try registry.register(up: Collection.self)
        var problems: [ConfigurationProblem] = []
        #expect(registry.upTarget(TargetReference([:]), at: [.key("target")], problems: &problems) == nil)
        #expect(
            problems.map(\.description) == [
                #"target: the target has no "type". Add "type" with one of: rest."#
            ])
    }

    @Test func `Only one target is the default`() throws {
        var registry = try Self.registry()
        try registry.register(up: Collection.self, isDefault: true)
        let error = #expect(throws: SoupError.self) { try registry.register(up: Posting.self, isDefault: true) }
        #expect(error?.message == "rest and posting both claim to be the default sync-up target")
        #expect(registry.defaultUpTarget == "rest" && registry.targets.map(\.name) == ["weather", "rest"])
    }

    @Test func `Two types with one name are an error that names both`() throws {
        var registry = try Self.registry()
        try registry.register(down: Weather.self)
        let error = #expect(throws: SoupError.self) { try registry.register(down: SecondTarget.self) }
        #expect(error?.code == .registry)
        #expect(error?.message.contains("Weather") == true && error?.message.contains("SecondTarget") == true)
        #expect(registry.targets.map(\.name) == ["weather", "rest"])
    }

    struct Targets: PluginModule {
        var interfaceVersion = 1
        var repeatsName = false

        func register(in registry: inout PluginRegistry) throws {
            try registry.register(down: Weather.self)
            if repeatsName { try registry.register(down: SecondTarget.self) }
        }
    }

    @Test func `A module is registered as a whole, or not at all`() throws {
        var registry = PluginRegistry()
        #expect(throws: SoupError.self) { try registry.register(module: Targets(repeatsName: true)) }
        #expect(registry.targets.isEmpty)
        try registry.register(module: Targets())
        // The same module again is no error.
        try registry.register(module: Targets())
        #expect(registry.targets.map(\.name) == ["weather"])
    }

    @Test(arguments: [0, PluginInterface.version + 1, -1])
    func `A module for another version of the interface is refused`(version: Int) throws {
        var registry = PluginRegistry()
        let error = #expect(throws: SoupError.self) {
            try registry.register(module: Targets(interfaceVersion: version))
        }
        #expect(
            error?.code == .registry && error?.message.contains("version \(version) of the plug-in interface") == true)
        #expect(error?.hint?.contains(version > 0 ? "newer version of SoupKit" : "newer version of the module") == true)
        #expect(registry.targets.isEmpty)
        #expect(PluginInterface.supportedVersions.contains(PluginInterface.version))
    }

    @Test func `An error of a target's initializer gets a place`() throws {
        var problems: [ConfigurationProblem] = []
        let target: JSONValue = ["type": "weather", "station": "closed"]
        #expect(
            try Self.registry().downTarget(TargetReference(target), at: [.key("target")], problems: &problems) == nil)
        #expect(problems.map(\.code) == ["stationClosed"])
        #expect(problems.map(\.place.path) == ["target"])
    }
}
