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

/// An app edits random rows while pushes and pulls run repeatedly: every edit reaches the org once and in order, none
/// is overwritten, and no record is duplicated.
@Suite struct EditDuringSyncTests {
    /// A world after its first pull, the editor of its store, and the history of its org.
    private struct EditedWorld {
        let world: MatrixWorld
        let transport: HookedTransport
        let editor: Editor
        let history: RowHistory

        /// - Parameter hasMillisecondDates: whether the org's dates have milliseconds, so that any two writes differ.
        init(_ scenario: SyncScenario, edits: Int, seed: UInt64, hasMillisecondDates: Bool) async throws {
            var hooked: HookedTransport?
            world = try await MatrixWorld(scenario) { base in
                let transport = HookedTransport(base)
                hooked = transport
                return transport
            }
            transport = try #require(hooked)
            // Several pages per pull.
            world.org.setOptions {
                $0.maximumPageSize = 3
                if hasMillisecondDates { $0.resolution = .millisecond }
            }
            world.clock.advance(by: .seconds(10))
            let first = try await world.kit.syncs.reSync(named: "down").result
            try #require(first.state.status == .done, "\(first.state.error)")
            history = RowHistory(world.org)
            try history.record()
            editor = Editor(world.kit.store, isTree: scenario.isTree, edits: edits, seed: seed)
            try await editor.start()
        }

        /// Calls the hooks at every request, and advances the clock before each.
        func setHooks(before: HookedTransport.Hook? = nil, after: HookedTransport.Hook? = nil) {
            let (clock, history) = (world.clock, history)
            transport.setHooks {
                clock.advance(by: .milliseconds(1))
                try await before?()
            } after: {
                try history.record()
                try await after?()
            }
        }

        func sync(_ name: String, _ comment: Comment) async throws {
            world.clock.advance(by: .milliseconds(700))
            let result = try await world.kit.syncs.reSync(named: name).result
            #expect(result.state.status == .done, comment)
            #expect([result.failed, result.unknown, result.conflicted] == [0, 0, 0], comment)
            try history.record()
        }

        /// Syncs the remaining changes, and compares both sides.
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

    /// The edits happen before a request is sent, and after the org's answer but before the engine receives it.
    ///
    /// By default, tests one seed; with `SOUPKIT_MATRIX=all`, three.
    @Test(arguments: MatrixScenarios.edited, UInt64(1)...(MatrixSample.includesAll ? 3 : 1))
    func `Edits at every request reach the org once`(scenario: SyncScenario, seed: UInt64) async throws {
        let edited = try await EditedWorld(scenario, edits: 90, seed: seed, hasMillisecondDates: seed == 1)
        let comment: Comment = "\(scenario.description), seed \(seed)"
        let editor = edited.editor
        edited.setHooks(before: { try await editor.editSome() }, after: { try await editor.editSome() })
        var rounds = 0
        while await editor.remaining > 0, rounds < 60 {
            rounds += 1
            for name in ["up", "down"] { try await edited.sync(name, comment) }
        }
        try await edited.end(comment)
        print("edits at every request: \(scenario.description), seed \(seed): 90 edits, \(rounds) pushes and pulls")
    }

    /// A task edits independently of the syncs.
    @Test(arguments: MatrixScenarios.edited)
    func `Concurrent edits reach the org once`(scenario: SyncScenario) async throws {
        let edited = try await EditedWorld(scenario, edits: 250, seed: 7, hasMillisecondDates: true)
        let comment: Comment = "\(scenario.description)"
        let editor = edited.editor
        edited.setHooks()
        let writing = Task { while await editor.remaining > 0 { try await editor.edit() } }
        while await editor.remaining > 0 {
            for name in ["up", "down"] { try await edited.sync(name, comment) }
        }
        try await writing.value
        try await edited.end(comment)
    }
}
