// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore
import Testing

@testable import SoupLocalOrg

/// Batches that wait for polls, and that fail because of a fault.
@Suite struct ClassicBulkAPIPollingTests: ClassicBulkRequests {
    @Test func `Polls move batches on, aborting stops them`() async throws {
        var options = OrgOptions()
        options.bulkPolls = 1
        let client = try OrgClient(options: options)
        let before = try client.state(contacts)
        let job = try id(await post(client, "", body: jobInfo("insert", "Contact"), type: "application/xml"))
        let first = try id(await post(client, "/\(job)/batch", body: "LastName\nA\n", type: "text/csv"))
        func state() async throws -> String? {
            try XMLElement.parse(await get(client, "/\(job)/batch/\(first)").body).first("state")?.text
        }
        #expect(try await get(client, "/\(job)/batch/\(first)/result").status == 400)
        #expect(try await state() == "InProgress")
        #expect(try client.state(contacts) == before)
        #expect(try await state() == "Completed")
        let second = try id(await post(client, "/\(job)/batch", body: "LastName\nB\n", type: "text/csv"))
        _ = try await post(
            client, "/\(job)", body: "<jobInfo><state>Aborted</state></jobInfo>", type: "application/xml")
        let aborted = try await get(client, "/\(job)/batch/\(second)")
        #expect(try XMLElement.parse(aborted.body).first("state")?.text == "Not Processed")
        let spoken = try await get(client, "/\(job)/batch/\(second)", type: "application/json")
        #expect(try JSONValue(parsing: spoken.body).state == "NotProcessed")
        #expect(try client.state(contacts) == before + "\nContact A null")
    }

    @Test func `A polled batch fails`() async throws {
        let client = try OrgClient()
        let before = try client.state(contacts)
        client.org.setOptions { $0.bulkPolls = 5 }
        let job = try id(await post(client, "", body: jobInfo("insert", "Contact"), type: "application/xml"))
        let batch = try id(await post(client, "/\(job)/batch", body: "LastName\nA\n", type: "text/csv"))
        client.org.add(OrgFault(.jobFail("InternalServerError : x"), method: "GET", count: 1))
        let info = try XMLElement.parse(await get(client, "/\(job)/batch/\(batch)").body)
        #expect(info.first("state")?.text == "Failed")
        #expect(info.first("stateMessage")?.text == "InternalServerError : x")
        #expect(try client.state(contacts) == before)
    }

    @Test func `Administration faults fail and stall batches`() async throws {
        var options = OrgOptions()
        options.admin = true
        let client = try OrgClient(options: options)
        let before = try client.state(contacts)
        let job = try id(await post(client, "", body: jobInfo("insert", "Contact"), type: "application/xml"))
        func state(_ effect: JSONValue) async throws -> String {
            _ = try await client.send(
                .post, "/_emu/faults", body: ["match": ["path": "/batch$"], "when": ["count": 1], "do": effect])
            let batch = try id(await post(client, "/\(job)/batch", body: "LastName\nA\n", type: "text/csv"))
            let info = try XMLElement.parse(await get(client, "/\(job)/batch/\(batch)").body)
            return [info.first("state")?.text, info.first("stateMessage")?.text].compactMap { $0 }.joined(
                separator: " ")
        }
        #expect(try await state(["kind": "jobFail"]) == "Failed InternalServerError : on purpose")
        #expect(try await state(["kind": "jobStall", "ms": 1000]) == "InProgress")
        #expect(try await state(["kind": "jobStall", "looks": 1]) == "InProgress")
        #expect(try await state(["kind": "jobStall", "looks": 1, "state": "UploadComplete"]) == "Queued")
        #expect(try client.state(contacts) == before)
    }
}
