// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import SoupSync
import SoupCore
import SoupKit
import SoupTesting
import SoupTestApp
import Testing

/// Every error that ends a run says what can be done, and promises no more than what comes true.
@Suite struct RunRemedyTests {
    /// What goes wrong with every request, and a word of the remedy.
    static let troubles: [(effect: OrgFault.Effect, says: String)] = [
        (.http(status: 500, code: "UNKNOWN_EXCEPTION"), "contact its administrator"),
        (.http(status: 500, code: ""), "contact its administrator"),
        (.http(status: 503, code: "SERVER_UNAVAILABLE"), "Try again in a few minutes"),
        (.http(status: 502, code: "x"), "contact its administrator"),
        (.http(status: 404, code: "NOT_FOUND"), "Check the URL"),
        (.http(status: 400, code: "MALFORMED_QUERY"), "Check the query"),
        (.http(status: 400, code: "WHATEVER"), "Check the query"), (.http(status: 400), "Check the query"),
        (.http(status: 403, code: "INSUFFICIENT_ACCESS"), "administrator"), (.limit, "used up its API calls"),
        (.garbage(bytes: 40), "login page"), (.garbage(bytes: 0), SoupError.changedResponsesHint),
        (.truncate(20), "cut off"),
        (.drop(.beforeHeaders), "Check the connection"), (.drop(.midBody), "Check the connection"),
    ]

    @Test(arguments: troubles.indices) func `A run that fails says what to do`(index: Int) async throws {
        let (effect, says) = Self.troubles[index]
        let world = try await MatrixWorld(.rows("rest", .overwrite))
        #expect(try await world.kit.syncs.reSync(named: "down").result().state.status == .done)
        try await world.changeBothSides()
        world.org.add(OrgFault(effect, path: "/services/data"))

        let down = try await world.kit.syncs.reSync(named: "down").result()
        #expect(down.state.status == .failed)
        try check(down.error, says: says)

        let up = try await world.kit.syncs.reSync(named: "up").result()
        // What is refused record by record does not end the run.
        #expect(up.state.status == .failed || up.failed + up.unknown > 0)
        if up.state.status == .failed { try check(up.error, says: says) }

        let cleaning = await #expect(throws: SoupError.self) {
            try await world.kit.syncs.cleanResyncGhosts(named: "down")
        }
        try check(cleaning, says: says)

        world.org.removeFault()
        try await world.settle()
        #expect(try world.orgLines() == world.expected)
        #expect(try await world.storeLines() == world.expected, "nothing is stuck")
    }

    /// What only the sync is to blame for does not go away by waiting.
    private func check(_ error: SoupError?, says: String) throws {
        let hint = try #require(error?.hint)
        #expect(hint.contains(says))
        if says == "Check the query" { #expect(!hint.contains("again later"), "\(hint)") }
    }

    /// A creation whose answer is lost is not sent once more by itself.
    @Test func `A lost creation is not promised`() async throws {
        let world = try await MatrixWorld(.rows("single", .overwrite))
        #expect(try await world.kit.syncs.reSync(named: "down").result().state.status == .done)
        try await world.changeBothSides()
        // The edits are refused a connection, the creations are done, and nobody hears of it.
        world.org.add(OrgFault(.drop(.accept), id: "edits", method: "PATCH", path: "sobjects/Account"))
        world.org.add(OrgFault(.drop(.beforeHeaders), id: "made", method: "POST", path: "sobjects/Account"))
        let run = try await world.kit.syncs.reSync(named: "up").result()
        #expect(run.state.status == .failed)
        #expect(run.unknown > 0, "\(run)")
        let hint = try #require(run.error?.hint)
        #expect(hint.contains("soup resolve"))
        #expect(!hint.contains("the next run sends it"))
    }
}
