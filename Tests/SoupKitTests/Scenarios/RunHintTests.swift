// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import SoupSync
import SoupCore
import SoupKit
import SoupTesting
import SoupTestApp
import Testing

/// The hints of errors that end a run: each names an action, and promises nothing that does not happen.
@Suite struct RunHintTests {
    /// The effect on every request, and a part of the hint.
    static let faults: [(effect: OrgFault.Effect, text: String)] = [
        (.http(status: 500, code: "UNKNOWN_EXCEPTION"), "contact its administrator"),
        (.http(status: 500, code: ""), "contact its administrator"),
        (.http(status: 503, code: "SERVER_UNAVAILABLE"), "Try again in a few minutes"),
        (.http(status: 502, code: "x"), "contact its administrator"),
        (.http(status: 404, code: "NOT_FOUND"), "Check the URL"),
        (.http(status: 400, code: "MALFORMED_QUERY"), "Check the query"),
        (.http(status: 400, code: "WHATEVER"), "Check the query"), (.http(status: 400), "Check the query"),
        (.http(status: 403, code: "INSUFFICIENT_ACCESS"), "administrator"), (.limit, "used up its API calls"),
        (.garbage(bytes: 40), "login page"), (.garbage(bytes: 0), SoupError.changedResponsesHint),
        (.truncate(20), "incomplete"),
        (.drop(.beforeHeaders), "Check the connection"), (.drop(.midBody), "Check the connection"),
    ]

    @Test(arguments: faults.indices) func `The error of a failed run has a hint`(index: Int) async throws {
        let (effect, text) = Self.faults[index]
        let world = try await MatrixWorld(.rows("rest", .overwrite))
        #expect(try await world.kit.syncs.reSync(named: "down").result.state.status == .done)
        try await world.changeBothSides()
        world.org.add(OrgFault(effect, path: "/services/data"))

        let down = try await world.kit.syncs.reSync(named: "down").result
        // The limit of requests is a pause.
        let ends: Set<SyncStatus> = [text == "used up its API calls" ? .stopped : .failed]
        #expect(ends.contains(down.state.status))
        try check(down.error, contains: text)

        let up = try await world.kit.syncs.reSync(named: "up").result
        // Refusals of single records do not end the run.
        #expect(ends.contains(up.state.status) || up.failed + up.unknown > 0)
        if ends.contains(up.state.status) { try check(up.error, contains: text) }

        let cleaning = await #expect(throws: SoupError.self) {
            try await world.kit.syncs.cleanResyncGhosts(named: "down")
        }
        try check(cleaning, contains: text)

        world.org.removeFault()
        try await world.syncUntilClean()
        #expect(try world.orgLines() == world.expected)
        #expect(try await world.storeLines() == world.expected, "an entry is still dirty")
    }

    /// Waiting does not correct an error in the sync's own query.
    private func check(_ error: SoupError?, contains text: String) throws {
        let hint = try #require(error?.hint)
        #expect(hint.contains(text))
        if text == "Check the query" { #expect(!hint.contains("again later"), "\(hint)") }
    }

    /// The engine does not repeat a creation whose response was lost.
    @Test func `The hint for a lost creation promises no retry`() async throws {
        let world = try await MatrixWorld(.rows("single", .overwrite))
        #expect(try await world.kit.syncs.reSync(named: "down").result.state.status == .done)
        try await world.changeBothSides()
        // Connections for edits are refused. Connections for creations break without a response.
        world.org.add(OrgFault(.drop(.accept), id: "edits", method: "PATCH", path: "sobjects/Account"))
        world.org.add(OrgFault(.drop(.beforeHeaders), id: "made", method: "POST", path: "sobjects/Account"))
        let run = try await world.kit.syncs.reSync(named: "up").result
        #expect(run.state.status == .failed)
        #expect(run.unknown > 0, "\(run)")
        let hint = try #require(run.error?.hint)
        #expect(hint.contains("soup resolve"))
        #expect(!hint.contains("the next run sends it"))
    }
}
