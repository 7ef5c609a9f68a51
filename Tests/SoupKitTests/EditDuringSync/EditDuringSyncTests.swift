// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import SoupSync
import SoupStore
import SoupCore
import SoupKit
import SoupTesting
import SoupTestApp
import Testing

/// Somebody edits random rows all the time, while pushes and pulls run over and over: every edit reaches the org once
/// and in order, none is overwritten, and nothing is there twice.
@Suite struct EditDuringSyncTests {
    /// A world that has been pulled once, with somebody who edits it, and what the org has had.
    private struct Scene {
        let world: MatrixWorld
        let transport: HookedTransport
        let editor: Editor
        let history: RowHistory

        /// - Parameter tellsWrites: whether the org's dates are so fine that no two writes look like one.
        init(_ scenario: SyncScenario, edits: Int, seed: UInt64, tellsWrites: Bool) async throws {
            var hooked: HookedTransport?
            world = try await MatrixWorld(scenario) { base in
                let transport = HookedTransport(base)
                hooked = transport
                return transport
            }
            transport = try #require(hooked)
            // Several pages a pull.
            world.org.setOptions {
                $0.maximumPageSize = 3
                if tellsWrites { $0.resolution = .millisecond }
            }
            world.clock.advance(by: 10_000)
            let first = try await world.kit.syncs.reSync(named: "down").result()
            try #require(first.state.status == .done, "\(first.state.error)")
            history = RowHistory(world.org)
            try history.look()
            editor = Editor(world.kit.store, isTree: scenario.isTree, edits: edits, seed: seed)
            try await editor.start()
        }

        /// Calls the hooks at every request, each of which has a time of its own.
        func hook(before: HookedTransport.Hook? = nil, after: HookedTransport.Hook? = nil) {
            let (clock, history) = (world.clock, history)
            transport.hook {
                clock.advance(by: 1)
                try await before?()
            } after: {
                try history.look()
                try await after?()
            }
        }

        func sync(_ name: String, _ comment: Comment) async throws {
            world.clock.advance(by: 700)
            let result = try await world.kit.syncs.reSync(named: name).result()
            #expect(result.state.status == .done, comment)
            #expect([result.failed, result.unknown, result.conflicted] == [0, 0, 0], comment)
            try history.look()
        }

        /// Syncs what is left, and compares.
        func end(_ comment: Comment) async throws {
            for name in ["up", "down", "up", "down"] { try await sync(name, comment) }
            _ = try await world.kit.syncs.cleanResyncGhosts(named: "down")
            let expected = await editor.expected
            #expect(await editor.remaining == 0, comment)
            #expect(await editor.faults == [], comment)
            #expect(history.faults == [], comment)
            let rows = try RowHistory.rows(of: world.org)
                .filter { world.scenario.isTree || !$0.key.hasPrefix("Ng ") }
            #expect(rows == expected, comment)
            let (left, right) = (try await world.storeLines(), try world.orgLines())
            #expect(left == right, "\(world.scenario.description): \(left.filter { !right.contains($0) })")
            for (name, numbers) in expected {
                #expect(history.numbers[name]?.last == numbers.last, comment)
            }
        }
    }

    /// The edits are made between the org's answers and the moment at which anybody knows them, and before requests
    /// are looked at.
    ///
    /// A run of the tests takes one seed; with `SOUPKIT_MATRIX=all` there are three.
    @Test(arguments: MatrixScenarios.edited, UInt64(1)...(MatrixSample.takesAll ? 3 : 1))
    func `At every request`(scenario: SyncScenario, seed: UInt64) async throws {
        let scene = try await Scene(scenario, edits: 90, seed: seed, tellsWrites: seed == 1)
        let comment: Comment = "\(scenario.description), seed \(seed)"
        let editor = scene.editor
        scene.hook(before: { try await editor.editSome() }, after: { try await editor.editSome() })
        var rounds = 0
        while await editor.remaining > 0, rounds < 60 {
            rounds += 1
            for name in ["up", "down"] { try await scene.sync(name, comment) }
        }
        try await scene.end(comment)
        print("edits at every request: \(scenario.description), seed \(seed): 90 edits, \(rounds) pushes and pulls")
    }

    /// The edits come from a task that knows nothing of the syncs.
    @Test(arguments: MatrixScenarios.edited)
    func `All the time`(scenario: SyncScenario) async throws {
        let scene = try await Scene(scenario, edits: 250, seed: 7, tellsWrites: true)
        let comment: Comment = "\(scenario.description)"
        let editor = scene.editor
        scene.hook()
        let writing = Task { while await editor.remaining > 0 { try await editor.edit() } }
        while await editor.remaining > 0 {
            for name in ["up", "down"] { try await scene.sync(name, comment) }
        }
        try await writing.value
        try await scene.end(comment)
    }
}
