// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupStore
import SoupCore
import SoupTesting
import Testing

@testable import SoupSync

/// One-time syncs, which have no name, and their rows.
@Suite struct SyncManagerOneTimeSyncsTests {
    private func offline(_ world: World) {
        world.server.with { state in
            state.onPage = { _ in throw SoupError(.network, "no connection") }
            state.onPush = { _, _ in throw SoupError(.network, "no connection") }
        }
    }

    private func online(_ world: World) {
        world.server.with { state in (state.onPage, state.onPush) = (nil, nil) }
    }

    @Test func `A failed sync up leaves no row`() async throws {
        let world = try await World()
        try await world.seed("Ann")
        try await world.edit("ann", "Anna")
        let before = try await world.syncs()
        offline(world)
        for _ in 1...3 { expect(try await world.manager.run(world.up(nil)).result.state.status, .failed) }
        expect(try await world.syncs(), before)
        online(world)
        expect(try await world.manager.run(world.up(nil)).result.state.status, .done)
        expect(try await world.entries(), [#"1 ann {"Name":"Anna"} +20s clean sync 1"#])
        #expect(world.server.dump == [#"ann {"Name":"Anna"} +20s"#])
        expect(try await world.syncs(), before)
    }

    @Test func `A failed sync down is kept until the next of its kind`() async throws {
        let world = try await World()
        world.fill(3)
        let definition = world.down(nil, ["pageSize": 1])
        world.server.with { $0.onPage = { if $0 % 2 == 0 { throw SoupError(.network, "no connection") } } }
        for id in 1...3 as ClosedRange<Int64> {
            let run = try await world.manager.run(definition)
            expect(run.id, id)
            expect(await run.result.state.status, .failed)
            expect(try await world.syncs().count, 1)
        }
        online(world)
        expect(try await world.manager.reSync(id: 3).result.state.line, "DONE 100/3")
        expect(try await world.syncs(), [])
        expect(try await world.entries().count, 3)
    }

    @Test func `Stopped syncs do not accumulate`() async throws {
        let world = try await World()
        try await world.seed("Ann")
        try await world.edit("ann", "Anna")
        let before = try await world.syncs()
        world.server.with { $0.onPush = { _, _ in throw SoupError(.sessionExpired, "log in") } }
        for _ in 1...3 { expect(try await world.manager.run(world.up(nil)).result.state.status, .stopped) }
        expect(try await world.syncs().count, 2)
        online(world)
        let runs = try await world.manager.resumeAfterLogin()
        expect(runs.count, 1)
        for run in runs { _ = await run.result }
        expect(try await world.entries(), [#"1 ann {"Name":"Anna"} +20s clean sync 1"#])
        #expect(world.server.dump == [#"ann {"Name":"Anna"} +20s"#])
        expect(try await world.syncs(), before)
    }

    @Test func `A restart keeps the rows that can be continued only`() async throws {
        let world = try await World()
        world.fill(2)
        offline(world)
        expect(try await world.manager.run(world.down(nil)).result.state.status, .failed)
        world.server.with { $0.onPage = { if $0 == 3 { throw SoupError(.network, "no connection") } } }
        expect(try await world.manager.run(world.down(nil, ["pageSize": 1])).result.state.status, .failed)
        _ = try await world.manager.create(world.down("named"))
        expect(try await world.syncs().map { $0.prefix(8) }, ["1 - FAIL", "2 - FAIL", "3 named "])
        online(world)
        let next = try await world.reopened()
        expect(try await next.syncs().map { $0.prefix(8) }, ["2 - FAIL", "3 named "])
        expect(try await next.manager.reSync(id: 2).result.state.status, .done)
        expect(try await next.syncs().map { $0.prefix(8) }, ["3 named "])
    }

    /// A one-time sync never cleans ghosts, so its entries must not prevent the cleaning of other syncs.
    @Test func `A failed sync owns no entries`() async throws {
        let world = try await World()
        try await world.seed("Ann", "Bob")
        world.server.with { $0.onPage = { if $0 == 3 { throw SoupError(.network, "no connection") } } }
        expect(try await world.manager.run(world.down(nil, ["pageSize": 1])).result.state.status, .failed)
        online(world)
        world.server.remove("ann")
        expect(try await world.manager.cleanResyncGhosts(named: "down"), 1)
        expect(try await world.entries(), [#"2 bob {"Name":"Bob"} +0s clean sync 1"#])
    }
}
