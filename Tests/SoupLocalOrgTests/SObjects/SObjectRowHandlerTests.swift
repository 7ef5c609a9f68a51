// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupLocalOrg
import SoupCore
import Testing

/// Records by ID and by path, conditional requests, and replication.
@Suite struct SObjectRowHandlerTests {
    private let client: OrgClient

    init() throws { client = try OrgClient() }

    private func id(_ key: String) -> String { client.org.id(of: key) ?? "" }

    private func tag(_ path: String) async throws -> String {
        try await client.send(.get, path).response.headerFields[.eTag] ?? ""
    }

    @Test func `A created record is recent, and a deleted one does not exist`() async throws {
        for name in ["first", "second"] {
            _ = try await client.json(.post, "sobjects/account", body: ["Name": .string(name)])
        }
        let recent = try await client.json(.get, "sobjects/Account").recentItems?.arrayValue ?? []
        #expect(recent.map { $0["Name"] } == ["second", "first"])
        let id = try #require(recent[0]["Id"]?.stringValue)
        _ = try await client.send(.delete, "sobjects/account/\(id)")
        let answer = try await client.send(.get, "sobjects/account/\(id)")
        let error = try JSONValue(parsing: answer.body)[0]
        #expect(
            [error?["errorCode"], error?["message"]] == ["ENTITY_IS_DELETED", "The requested resource does not exist"])
        #expect(answer.status == 404)
        let left = try await client.json(.get, "sobjects/Account").recentItems
        #expect(left?.arrayValue?.map { $0["Name"] } == ["first"])
    }

    // MARK: Conditions

    /// Returns the status of a request with one header.
    private func status(
        _ method: HTTPRequest.Method, _ path: String, header name: HTTPField.Name, value: String
    ) async throws -> Int {
        try await client.send(method, path, body: method == .patch ? ["Rating": "Warm"] : nil, headers: [name: value])
            .status
    }

    private static let before = "Mon, 15 Jan 2024 11:59:59 GMT"
    private static let at = "Mon, 15 Jan 2024 12:00:00 GMT"

    @Test func `Conditional reads return 304`() async throws {
        let row = "sobjects/Account/\(id("acc1"))"
        let tag = try await tag(row)
        for path in [row, "sobjects/Visit__c/External_Id__c/V%2F1", "sobjects", "sobjects/Account/describe"] {
            #expect(try await status(.get, path, header: .ifModifiedSince, value: Self.at) == 304, "\(path)")
            #expect(try await status(.head, path, header: .ifModifiedSince, value: Self.at) == 304, "\(path)")
            #expect(try await status(.get, path, header: .ifModifiedSince, value: Self.before) == 200, "\(path)")
            #expect(try await status(.get, path, header: .ifModifiedSince, value: "yesterday") == 200, "\(path)")
            #expect(try await status(.get, path, header: .ifUnmodifiedSince, value: Self.before) == 412, "\(path)")
        }
        #expect(try await status(.get, row, header: .ifNoneMatch, value: "\"x\", \(tag)") == 304)
        #expect(try await status(.get, row, header: .ifNoneMatch, value: "\"x\"") == 200)
        #expect(try await status(.get, row, header: .ifMatch, value: "\"x\"") == 412)
        let unchanged = try await client.send(.get, row, headers: [.ifModifiedSince: Self.at])
        #expect(unchanged.body.isEmpty && unchanged.response.headerFields[.eTag] == tag)
        #expect(unchanged.response.headerFields[.lastModified] == Self.at)
    }

    /// Dates are whole seconds; a client that uses the entity tag misses no change.
    @Test func `The tag distinguishes changes within a second`() async throws {
        let row = "sobjects/Account/\(id("acc1"))"
        var tags: [String] = []
        for name in ["A", "B", "A"] {
            #expect(try await client.send(.patch, row, body: ["Name": .string(name)]).status == 204)
            tags.append(try await tag(row))
            #expect(try await status(.get, row, header: .ifNoneMatch, value: tags.last ?? "") == 304)
        }
        #expect(tags[0] != tags[1] && tags[0] == tags[2])
        #expect(try await status(.get, row, header: .ifNoneMatch, value: tags[1]) == 200)
        #expect(try await status(.patch, row, header: .ifMatch, value: tags[1]) == 412)
        #expect(try await status(.patch, row, header: .ifMatch, value: tags[2]) == 204)
        // A view of the record is no change.
        let now = try await tag(row)
        _ = try await client.query("SELECT Id FROM Account FOR VIEW")
        #expect(try await tag(row) == now)
    }

    @Test func `Conditional writes compare versions`() async throws {
        let row = "sobjects/Account/\(id("acc1"))"
        let old = try await tag(row)
        #expect(try await status(.patch, row, header: .ifUnmodifiedSince, value: Self.before) == 412)
        #expect(try await status(.patch, row, header: .ifUnmodifiedSince, value: "yesterday") == 400)
        #expect(try await status(.patch, row, header: .ifModifiedSince, value: "yesterday") == 400)
        #expect(try await status(.patch, row, header: .ifModifiedSince, value: Self.at) == 412)
        #expect(try await status(.patch, row, header: .ifNoneMatch, value: old) == 412)
        #expect(try await status(.patch, row, header: .ifMatch, value: "\"x\"") == 412)
        #expect(try client.state([("Account", ["Rating"])]).hasPrefix("Account Hot"))
        #expect(try await status(.patch, row, header: .ifMatch, value: old) == 204)
        #expect(try await status(.patch, row, header: .ifMatch, value: old) == 412)
        #expect(try await status(.patch, row, header: .ifUnmodifiedSince, value: Self.at) == 412)
        #expect(try await status(.patch, row, header: .ifMatch, value: "*") == 204)
        let external = "sobjects/Visit__c/External_Id__c/V%2F1"
        let answer = try await client.send(
            .patch, external, body: ["Version__c": 9], headers: [.ifUnmodifiedSince: Self.before])
        #expect(answer.status == 412)
        // A delete ignores the header.
        #expect(try await status(.delete, external, header: .ifUnmodifiedSince, value: Self.before) == 204)
    }

    // MARK: Paths along relationships

    @Test func `Paths follow relationships`() async throws {
        let visit = id("vis1")
        let item = "sobjects/Visit_Item__c/\(id("vit1"))"
        #expect(try await client.json(.get, "\(item)/Visit__r?fields=External_Id__c").External_Id__c == "V/1")
        let account = try await client.json(.get, "\(item)/visit__r/Account__r?fields=Name")
        #expect(account.Name == "Acme" && account.Id?.stringValue == id("acc1"))
        #expect(account.attributes?.url?.stringValue == "\(client.version)/sobjects/Account/\(id("acc1"))")
        let contacts = try await client.json(.get, "\(item)/Visit__r/Account__r/Contacts?fields=LastName")
        #expect(contacts.records?.arrayValue?.map { $0.LastName } == ["Ng", "Smith"])
        #expect(try await client.json(.get, "sobjects/Visit__c/\(visit)/Visit_Items__r").totalSize == 2)
        let none = try await client.json(.get, "sobjects/Account/\(id("acc3"))/Contacts")
        #expect(none == ["totalSize": 0, "done": true, "records": []])
        for (path, status) in [
            ("sobjects/Contact/\(id("con3"))/Account", 404), ("sobjects/Contact/\(id("con1"))/Nope", 404),
            ("sobjects/Account/\(id("acc1"))/Contacts/Account", 404),
            ("sobjects/Account/\(id("acc1"))/Contacts?fields=Nope", 400),
            ("sobjects/Contact/\(id("con1"))/Account?fields=Nope", 400),
            ("sobjects/Contact/\(id("con1"))/CreatedBy/CreatedBy/CreatedBy/CreatedBy/CreatedBy/CreatedBy", 404),
        ] {
            #expect(try await client.send(.get, path).status == status, "\(path)")
        }
    }

    @Test func `A parent may be written through a path`() async throws {
        let path = "sobjects/Visit__c/\(id("vis1"))/Account__r"
        #expect(try await client.send(.patch, path, body: ["Name": "Acme 2"]).status == 204)
        #expect(try await client.send(.post, path, body: ["Name": "x"]).status == 405)
        #expect(try await client.send(.delete, "sobjects/Account/\(id("acc1"))/Contacts").status == 405)
        #expect(try client.state([("Account", ["Name"])]).hasPrefix("Account Acme 2\n"))
        #expect(try await client.send(.delete, path).status == 204)
        #expect(try await client.send(.get, path).status == 404)
    }

    // MARK: Replication

    private func changes(_ kind: String, from start: String, to end: String) async throws -> JSONValue {
        try await client.json(
            .get, "sobjects/Account/\(kind)/?start=2024-01-\(URLText.query(start))&end=2024-01-\(URLText.query(end))")
    }

    @Test func `Replication may be delayed`() async throws {
        client.org.advanceClock(by: .milliseconds(30_000))
        try client.org.edit("Account", id: id("acc2"), ["Rating": "Cold"])
        let all = try await changes("updated", from: "15T12:00:00Z", to: "15T12:06:59Z")
        #expect(all.ids?.arrayValue?.count == 3 && all.latestDateCovered == "2024-01-15T12:05:00.000+0000")
        let past = try await changes("updated", from: "15T13:00:59+01:00", to: "15T12:05:00Z")
        #expect(past.ids == [.string(id("acc1")), .string(id("acc3"))])
        client.org.setOptions { $0.replicationLag = .milliseconds(120_000) }
        let behind = try await changes("updated", from: "15T12:00:00Z", to: "15T12:06:00Z")
        #expect(behind.ids == [.string(id("acc1")), .string(id("acc3"))])
        #expect(behind.latestDateCovered == "2024-01-15T12:03:00.000+0000")
        let deleted = try await changes("deleted", from: "15T11:00:00Z", to: "15T12:04:00Z")
        #expect(
            deleted == [
                "deletedRecords": [["id": .string(id("delAcc")), "deletedDate": "2024-01-15T12:00:00.000+0000"]],
                "earliestDateAvailable": "2023-12-31T12:05:00.000+0000",
                "latestDateCovered": "2024-01-15T12:03:00.000+0000",
            ])
        for (kind, start, end) in [
            ("updated", "15T12:00:10Z", "15T12:00:50Z"), ("updated", "15T12:02:00Z", "15T12:01:00Z"),
            ("deleted", "x", "15T12:01:00Z"), ("updated", "15T12:00:00Z", ""),
        ] {
            #expect(try await client.code(changes(kind, from: start, to: end)) == "INVALID_REPLICATION_DATE")
        }
    }
}
