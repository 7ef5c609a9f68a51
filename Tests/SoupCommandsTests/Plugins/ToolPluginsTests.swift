// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

import ArgumentParser
import SoupKit
import Testing

@testable import SoupCommands

@Suite struct ToolPluginsTests {
    @Test func `The plug-ins of further modules are added`() throws {
        let registry = try ToolPlugins.registry(adding: [OneTarget<Diary>()])
        #expect(registry.targets.count == PluginRegistry.standard.targets.count + 1)
        #expect(registry.targets.contains { $0.name == "diary" })
        var problems: [ConfigurationProblem] = []
        #expect(registry.downTarget(TargetReference(["type": "diary"]), problems: &problems) is Diary)
        #expect(problems.isEmpty)
        // The registry of other programs stays as it is.
        #expect(!PluginRegistry.standard.targets.contains { $0.name == "diary" })
    }

    @Test func `A module that repeats a name is refused`() throws {
        let error = #expect(throws: SoupError.self) { try ToolPlugins.registry(adding: [OneTarget<OtherHTTP>()]) }
        #expect(error?.code == .registry)
        let message = error?.message ?? ""
        #expect(message.hasPrefix("the module OneTarget<OtherHTTP> cannot be registered: "), "\(message)")
        #expect(message.contains("\"http\"") && message.contains("HTTPSyncDownTarget"), "\(message)")
    }

    @Test func `Commands use the registry of the program`() async throws {
        let registry = try ToolPlugins.registry(adding: [OneTarget<Diary>()])
        let known = try await ToolPlugins.$registry.withValue(registry) {
            try await Interruption.run { ToolPlugins.registry.targets.contains { $0.name == "diary" } }
        }
        #expect(known)
    }

    @Test func `The syncs of commands have the observer of the program`() async throws {
        struct Observer: SyncObserver {
            func observe(_ activity: SyncActivity, _ work: () async -> SyncActivityResult) async { _ = await work() }
        }
        let options = try GlobalOptions.parse([])
        #expect(options.clientOptions.observer == nil)
        let observer = try await ToolPlugins.$observer.withValue(Observer()) {
            try await Interruption.run { options.clientOptions.observer }
        }
        #expect(observer is Observer)
    }
}

private struct OneTarget<Target: SyncDownTarget>: PluginModule {
    let interfaceVersion = 1

    func register(in registry: inout PluginRegistry) throws { try registry.register(down: Target.self) }
}

private struct Diary: SyncDownTarget {
    struct Configuration: Decodable, Sendable {}
    static let name: PluginName = "diary"
    init(configuration: Configuration) {}
    func page(after cursor: PageCursor?, in context: SyncContext) async throws -> RecordPage { RecordPage(.empty) }
}

private struct OtherHTTP: SyncDownTarget {
    struct Configuration: Decodable, Sendable {}
    static let name: PluginName = "http"
    init(configuration: Configuration) {}
    func page(after cursor: PageCursor?, in context: SyncContext) async throws -> RecordPage { RecordPage(.empty) }
}

#endif
