// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import SoupLocalOrg
import SoupCore
import Testing

/// Options that the administration changes while the org runs.
@Suite struct OrgOptionTests {
    private func client(_ options: OrgOptions = OrgOptions(), clock: any SoupClock = SystemClock()) throws -> OrgClient
    {
        var options = options
        options.admin = true
        return try OrgClient(clock: clock, options: options)
    }

    private func set(_ client: OrgClient, _ options: JSONValue) async throws -> JSONValue {
        try await client.json(.post, "/_emu/options", body: options)
    }

    /// Another value for each option; null where it is allowed.
    private static let others: JSONObject = [
        "timestampResolution": "1ms", "recordTimestamps": "client", "allowsAuditFields": true,
        "userTimeZone": "Europe/Berlin", "patchIdPolicy": "ignore", "getsCountAsViews": true, "replicationLag": 5,
        "dailyLimit": 0, "strictGrants": true, "rotatesRefreshTokens": true, "tokenLifetime": 60, "pageSizeMax": 7,
        "emptyInIsError": false, "allowsAllRows": true, "shuffleSeed": -9, "cursorsKeepRows": true,
        "cursorLifetime": 1, "cursorIdleTime": 2, "maximumCursors": 3, "searchIndexDelay": 4, "briefcasePageSize": 6,
        "bulkPolls": 8, "bulkPageSize": 9, "refusesEarlyResults": true,
    ]

    @Test func `All options can be read and set`() async throws {
        let client = try client()
        let before = try #require(try await client.json(.get, "/_emu/options").objectValue)
        #expect(Set(before.keys) == Set(Self.others.keys))
        #expect(before["userTimeZone"] == "UTC" && before["tokenLifetime"] == .null && before["pageSizeMax"] == 2000)
        for (name, value) in Self.others.members {
            // The two names of one option change together.
            let twin = ["recordTimestamps": "allowsAuditFields", "allowsAuditFields": "recordTimestamps"][name]
            let after = try #require(try await set(client, [name: value]).objectValue)
            #expect(after[name] == value, "\(name)")
            #expect(after.members.filter { $0.value != before[$0.key] }.map(\.key).filter { $0 != twin } == [name])
            _ = try await set(client, .object([name: before[name] ?? .null]))
            #expect(try await client.json(.get, "/_emu/options") == .object(before), "\(name)")
        }
    }

    @Test(
        arguments: [
            ("dailyLimit", -1, "a whole number from 0 to 1000000000"),
            ("dailyLimit", 9_223_372_036_854_775_807, "a whole number from 0 to 1000000000"),
            ("dailyLimit", "5", "a whole number from 0 to 1000000000"),
            ("pageSizeMax", 0, "a whole number from 1 to 2000"), ("pageSizeMax", nil, "a whole number from 1 to 2000"),
            ("pageSizeMax", 1.5, "a whole number from 1 to 2000"),
            ("bulkPolls", 1e308, "a whole number from 0 to 1000000"),
            ("replicationLag", -9_223_372_036_854_775_808, "a whole number from 0 to 86400000"),
            ("cursorLifetime", -1, "a whole number from 0 to 3153600000000"),
            ("strictGrants", "true", "true or false"), ("timestampResolution", "1us", "1s or 1ms"),
            ("recordTimestamps", true, "org or client"), ("patchIdPolicy", "ignored", "error or ignore"),
            ("userTimeZone", "Europe/Atlantis", "the name of a time zone, such as Europe/Berlin"),
        ] as [(String, JSONValue, String)])
    func `A value out of range sets nothing`(_ name: String, _ value: JSONValue, _ wanted: String)
        async throws
    {
        let client = try client()
        let before = try await client.json(.get, "/_emu/options")
        let body: JSONValue = .object(["bulkPageSize": 5, name: value, "briefcasePageSize": 5])
        let answer = try await set(client, body)
        let message = "options.\(name) must be \(wanted), not \(value)"
        #expect(answer == [["message": .string(message), "errorCode": "INVALID_INPUT"]])
        #expect(try await client.json(.get, "/_emu/options") == before)
    }

    @Test func `An unknown option is rejected with the known ones`() async throws {
        let client = try client()
        let answer = try await set(client, ["bulkPolls": 3, "bulkpolls": 4])
        let message = answer[0]?.message?.stringValue ?? ""
        #expect(message.hasPrefix("options has no \"bulkpolls\": there are allowsAllRows, allowsAuditFields, "))
        #expect(message.hasSuffix("userTimeZone; did you mean \"bulkPolls\"?"))
        #expect(try await client.json(.get, "/_emu/options").bulkPolls == 0)
        #expect(try await client.send(.post, "/_emu/options", body: [1]).status == 400)
    }

    @Test func `Clients set the times of their records`() async throws {
        let client = try client()
        let record: JSONValue = ["Name": "Old", "CreatedDate": "2020-01-02T03:04:05Z"]
        #expect(
            client.code(try await client.json(.post, "sobjects/Account", body: record))
                == "INVALID_FIELD_FOR_INSERT_UPDATE")
        _ = try await set(client, ["recordTimestamps": "client"])
        #expect(try await client.send(.post, "sobjects/Account", body: record).status == 201)
        #expect(
            try await client.values("SELECT CreatedDate FROM Account WHERE Name = 'Old'")
                == ["2020-01-02T03:04:05.000+0000"])
    }

    @Test func `Days begin in the user's time zone`() async throws {
        // It is 23:30 in Berlin, on the 14th there and in UTC.
        let client = try client(clock: FixedClock(now: 1_705_271_400_000))
        client.org.freezeClock(at: Date(millisecondsSince1970: 1_705_271_400_000))
        _ = try await set(client, ["allowsAuditFields": true])
        for time in ["2024-01-13T22:59:59Z", "2024-01-13T23:00:00Z", "2024-01-14T22:59:59Z", "2024-01-14T23:00:00Z"] {
            _ = try await client.send(
                .post, "sobjects/Account", body: ["Name": .string("at \(time)"), "CreatedDate": .string(time)])
        }
        func names(_ condition: String) async throws -> [JSONValue] {
            try await client.values("SELECT Name FROM Account WHERE Name LIKE 'at %' AND \(condition) ORDER BY Name")
        }
        #expect(
            try await names("CreatedDate = TODAY")
                == ["at 2024-01-14T22:59:59Z", "at 2024-01-14T23:00:00Z"])
        let part = "DAY_IN_MONTH(convertTimezone(CreatedDate))"
        #expect(try await names("\(part) = 13") == ["at 2024-01-13T22:59:59Z", "at 2024-01-13T23:00:00Z"])
        _ = try await set(client, ["userTimeZone": "Europe/Berlin"])
        #expect(
            try await names("CreatedDate = TODAY") == ["at 2024-01-13T23:00:00Z", "at 2024-01-14T22:59:59Z"])
        #expect(try await names("CreatedDate > TODAY") == ["at 2024-01-14T23:00:00Z"])
        #expect(try await names("\(part) = 13") == ["at 2024-01-13T22:59:59Z"])
        #expect(try await names("DAY_IN_MONTH(CreatedDate) = 13").count == 2)
        #expect(
            try await client.values("SELECT FORMAT(CreatedDate) FROM Account WHERE Name = 'at 2024-01-14T23:00:00Z'")
                == ["1/15/2024, 12:00 AM"])
        let info = try await client.json(.get, "/services/oauth2/userinfo")
        #expect(info.zoneinfo == "Europe/Berlin" && info.utcOffset == 3_600_000)
    }

    @Test func `A day with a change of the clocks has 23 hours`() async throws {
        let client = try client(clock: FixedClock(now: 1_705_271_400_000))
        _ = try await set(client, ["allowsAuditFields": true, "userTimeZone": "Europe/Berlin"])
        func names(_ condition: String) async throws -> [JSONValue] {
            try await client.values("SELECT Name FROM Account WHERE Name LIKE 'at %' AND \(condition) ORDER BY Name")
        }
        // Daylight saving time begins at 02:00 on this day, which has 23 hours.
        client.org.freezeClock(at: Date(millisecondsSince1970: 1_711_850_400_000))
        _ = try await client.send(
            .post, "sobjects/Account", body: ["Name": "at dawn", "CreatedDate": "2024-03-31T21:59:59Z"])
        _ = try await client.send(
            .post, "sobjects/Account", body: ["Name": "at dusk", "CreatedDate": "2024-03-31T22:00:00Z"])
        #expect(try await names("CreatedDate = TODAY") == ["at dawn"])
        // In this zone the clocks go from midnight to 01:00, at 22:00 UTC.
        _ = try await set(client, ["userTimeZone": "Asia/Beirut"])
        for time in ["2024-03-30T21:59:59Z", "2024-03-30T22:00:00Z"] {
            _ = try await client.send(
                .post, "sobjects/Account", body: ["Name": .string("at \(time)"), "CreatedDate": .string(time)])
        }
        #expect(try await names("CreatedDate = TODAY") == ["at 2024-03-30T22:00:00Z"])
    }

    @Test(
        arguments: [
            (["freeze": "2030-01-01T00:00:00Z", "advance": "60"], "clock.advance must be a number of seconds"),
            (["freeze": "2030-01-01T00:00:00Z", "advance": 1e308], "clock.advance must be a number of seconds"),
            (["freeze": "2030-01-01T00:00:00Z", "resolution": "1h"], "clock.resolution must be 1s or 1ms"),
            (["advance": 60, "freeze": "noon"], "freeze is not a datetime: noon"),
            (["advance": 60, "stop": true], "clock has no \"stop\": there are advance, freeze, resolution, run"),
        ] as [(JSONValue, String)])
    func `The clock is set whole or not at all`(_ body: JSONValue, _ message: String) async throws {
        let client = try client()
        let before = client.org.now.millisecondsSince1970
        let answer = try await client.json(.post, "/_emu/clock", body: body)
        #expect(answer[0]?.message?.stringValue?.hasPrefix(message) == true, "\(answer)")
        #expect(client.org.now.millisecondsSince1970 == before)
    }
}
