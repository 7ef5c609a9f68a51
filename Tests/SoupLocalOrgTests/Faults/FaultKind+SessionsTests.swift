// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupLocalOrg
import SoupCore
import Testing

/// Faults of tokens and logins.
@Suite struct FaultKindSessionsTests: FaultRuleRequests {
    @Test func `Tokens end after a number of calls`() async throws {
        let client = try await client(["do": ["kind": "expireToken", "afterCalls": 2]])
        var statuses: [Int] = []
        for _ in 0..<3 { statuses.append(try await client.send(.get, "limits").status) }
        #expect(statuses == [200, 200, 401])
    }

    @Test func `Tokens end after a time`() async throws {
        let client = try await client(["do": ["kind": "expireToken", "ttl": 5000], "when": ["count": 1]])
        #expect(try await client.send(.get, "limits").status == 200)
        client.org.advanceClock(by: .milliseconds(4999))
        #expect(try await client.send(.get, "limits").status == 200)
        client.org.advanceClock(by: .milliseconds(1))
        #expect(try await client.send(.get, "limits").status == 401)
        #expect(try await refresh(client).status == 200)
    }

    @Test func `A refresh fails in four ways`() async throws {
        let clock = FixedClock()
        let client = try await client(
            ["do": ["kind": "refreshFails", "with": "invalid_grant"], "when": ["count": 1]],
            ["do": ["kind": "refreshFails", "with": "503"], "when": ["count": 1]],
            ["do": ["kind": "refreshFails", "status": 429], "when": ["count": 1]],
            ["do": ["kind": "refreshFails", "with": "timeout", "ms": 9000], "when": ["count": 1]], clock: clock)
        #expect(try await client.send(.get, "limits").status == 200)
        let over = try await refresh(client)
        #expect(over.status == 400)
        #expect(
            try JSONValue(parsing: over.body) == [
                "error": "invalid_grant", "error_description": "expired access/refresh token",
            ])
        #expect(try await refresh(client).status == 503)
        #expect(try await refresh(client).status == 429)
        await #expect(throws: SoupError.self) { try await refresh(client) }
        #expect(clock.sleeps == [9000])
        #expect(try await refresh(client).status == 200)
        #expect(client.org.journal.map(\.fault) == [nil, "f1", "f2", "f3", "f4", nil])
    }

    @Test func `User info rejects the token`() async throws {
        let client = try await client(["do": ["kind": "badOAuthToken"], "when": ["count": 1]])
        #expect(try await client.send(.get, "limits").status == 200)
        let answer = try await client.send(.get, "/services/oauth2/userinfo")
        #expect(answer.status == 403 && text(answer) == "Bad_OAuth_Token")
        #expect(try await client.send(.get, "/services/oauth2/userinfo").status == 200)
    }

    @Test func `The next refresh moves the instance`() async throws {
        let client = try await client(
            ["do": ["kind": "moveInstance", "url": "http://localhost:9"], "when": ["count": 1]])
        #expect(try await client.send(.get, "limits").status == 200)
        for _ in 0..<2 {
            let fresh = try JSONValue(parsing: try await refresh(client).body)
            #expect(fresh.instance_url == "http://localhost:9")
        }
    }
}
