// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupLocalOrg
import SoupCore
import Testing

/// Orgs with fault rules, and the requests that tests of faults send.
protocol FaultRuleRequests {}

extension FaultRuleRequests {
    func client(_ rules: JSONValue..., clock: any SoupClock = FixedClock()) async throws -> OrgClient {
        var options = OrgOptions()
        options.admin = true
        let client = try OrgClient(clock: clock, options: options)
        for rule in rules { try await add(rule, to: client) }
        return client
    }

    func add(_ rule: JSONValue, to client: OrgClient) async throws {
        let answer = try await client.send(.post, "/_emu/faults", body: rule)
        #expect(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
    }

    func refresh(_ client: OrgClient) async throws -> HTTPAnswer {
        let form = "grant_type=refresh_token&client_id=emu-client&refresh_token=\(client.org.refreshToken)"
        return try await client.org.respond(
            to: HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/services/oauth2/token"),
            body: Array(form.utf8))
    }

    func text(_ answer: HTTPAnswer) -> String { String(decoding: answer.body, as: UTF8.self) }
}
