// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import Logging
import SoupSync
import SoupStore
import SoupCore
import SoupKit
import SoupTesting
import SoupTestApp
import Testing

/// The log of named resolvers.
///
/// If the server's version wins, there is no outcome, and only the log contains the decision.
@Suite struct ResolverLogTests {
    @Test(arguments: ["local", "remote"]) func `Every decision is logged`(resolver: String) async throws {
        let mode = #""mergeMode": "MERGE""#
        let files = SyncScenario.rows("rest", .merge).files().mapValues {
            $0.replacing(mode, with: mode + #", "conflictResolver": "\#(resolver)""#)
        }
        let folder = try TemporaryFolder(files)
        let clock = ManualClock.advancing()
        let org = try LocalOrg(seed: try AccountsState.seed(2), clock: clock)
        let log = LogLines(from: .info)
        let kit = try await SoupClient.open(
            at: folder.url,
            options: .init(
                transport: org.authorizedTransport, clock: clock, logger: Logger(label: "test") { _ in log },
                environment: [:]))
        _ = try await kit.syncs.reSync(named: "down").result
        let id = try #require(org.id(of: "a1"))
        let entry = try #require(try await kit.store.lookup(.string(id), at: "Id", in: "accounts"))
        try await kit.store.edit(entry, setting: ["Description": "mine"], in: "accounts")
        clock.advance(by: .seconds(10))
        try org.edit("Account", id: id, ["Description": "theirs"])
        #expect(try await kit.syncs.reSync(named: "up").result.isComplete)
        let decisions = log.all.filter { $0.contains("conflict resolver") }
        #expect(
            decisions == [
                #"info: conflict resolver "\#(resolver)" resolved entry \#(entry) of soup "accounts": \#(resolver)"#
            ])
        let row = try org.state(of: "Account").first { $0["Id"]?.stringValue == id }
        #expect(row?["Description"] == (resolver == "local" ? "mine" : "theirs"))
    }
}
