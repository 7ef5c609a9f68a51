// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupStore
import SoupCore
import SoupTesting
import Testing

@testable import SoupSync

/// The requirements of the merge mode MERGE for soups and resolvers.
@Suite struct MergePolicyRequirementsTests {
    @Test func `A merge without an index on the local flag fails`() async throws {
        let world = try await World()
        try await world.store.write { try $0.registerSoup("plain", [IndexSpec("Id", .string)]) }
        for var definition in [world.down("down", into: "plain"), world.up("up", from: "plain")] {
            definition.options.mergeMode = .merge
            _ = try await world.manager.create(definition)
            let result = try await world.manager.reSync(named: definition.name ?? "").result
            #expect(result.error?.code == .indexNotDefined && result.state.status == .failed)
        }
        expect(world.server.log, [])
    }

    @Test func `Creating a sync with an unknown resolver fails`() async throws {
        let world = try await World()
        var definition = world.down("down")
        definition.options = SyncOptions(mergeMode: .merge, conflictResolver: ResolverReference(named: "fakeResolvr"))
        let error = await #expect(throws: ConfigurationError.self) { try await world.manager.create(definition) }
        #expect(error?.problems.map(\.place.path) == ["options.conflictResolver"])
        #expect(error?.problems.first?.hint == "Known: fakeResolver. Did you mean \"fakeResolver\"?")
    }
}
