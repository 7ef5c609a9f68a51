// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import SoupKit
import SoupTesting
import Testing

/// The calls of the articles about syncing, conflicts and deletions, with a local org.
@Suite struct SyncingArticleTests {
    @Test func `The articles' calls of the sync manager work as described`() async throws {
        let folder = try TemporaryFolder(try PublishedConfigurations.files(of: "ios__MobileSyncExplorer"))
        let org = try LocalOrg(seed: .medium)
        let clock = ManualClock()
        let kit = try await SoupClient.open(
            at: folder.url, options: .init(transport: org.authorizedTransport, clock: clock, environment: [:]))

        let run = try await kit.syncs.reSync(named: "syncDownContacts")
        var progress = SyncProgress()
        var outcomes = 0
        for await event in run.events() {
            switch event {
            case .state(let state): progress.update(with: state, at: clock.now)
            case .outcome: outcomes += 1
            }
        }
        let result = await run.result
        #expect(progress.done == result.saved && progress.total == result.saved && result.saved > 500 && outcomes == 0)

        let work = try await kit.syncs.run(["syncUpContacts", "syncDownContacts"], within: .seconds(25))
        #expect(work.unfinished.isEmpty && work.results.map(\.state.status) == [.done, .done])
        let late = try await kit.syncs.run(["syncUpContacts"], within: .zero)
        #expect(late.unfinished == ["syncUpContacts"] && late.results.isEmpty)

        let down = TargetReference.soql("SELECT LastName FROM Contact", deletes: .incremental)
        try await kit.store.setUp(soups: [("people", [IndexSpec("Id", .string), IndexSpec("__local__", .string)])])
        _ = try await kit.syncs.create(
            SyncDefinition(
                name: "people", type: .syncDown, soup: "people", target: down,
                options: SyncOptions(mergeMode: .merge)))
        #expect(try await kit.syncs.reSync(named: "people").result.saved == result.saved)
        let held = Set(try org.state(of: "Case").compactMap { $0["ContactId"]?.stringValue })
        let free = try org.state(of: "Contact").compactMap { $0["Id"]?.stringValue }.first { !held.contains($0) }
        try org.delete("Contact", id: try #require(free))
        let again = try await kit.syncs.reSync(named: "people").result
        #expect(again.ghosts == 1, "\(again)")
        #expect(try await kit.syncs.cleanResyncGhosts(named: "people", completely: true) == 0)

        for conflict in try await kit.syncs.conflicts() { try await kit.syncs.resolveConflict(conflict, as: .local) }
        for (soup, entries) in try await kit.syncs.unknownCreations() {
            for entry in entries { try await kit.syncs.resolveUnknown(entryId: entry, soup: soup, as: .resend) }
        }
        let refused = try await kit.store.create(["LastName": ""], type: "Contact", in: "contacts")
        #expect(try await kit.syncs.reSync(named: "syncUpContacts").result.failed == 1)
        let failures = try await kit.syncs.failures()
        #expect(failures.map(\.entryId) == [refused.id])
        for failure in failures {
            #expect(!failure.failure.code.isEmpty && !failure.failure.message.isEmpty)
            _ = try await kit.syncs.discardChanges(of: [failure.entryId], in: failure.soup)
        }
        #expect(try await kit.syncs.failures().isEmpty)

        let once = try await kit.syncs.syncDown(.mru("Contact", fieldlist: ["LastName"]), into: "people").result
        #expect(once.state.status == .done && once.state.name == nil)
        try await kit.close()
    }
}
