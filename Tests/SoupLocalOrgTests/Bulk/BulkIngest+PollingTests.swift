// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore
import Testing

@testable import SoupLocalOrg

/// Jobs that wait for polls, and jobs with faults.
@Suite struct BulkIngestPollingTests {
    private let accounts = [("Account", ["Name", "Rating", "ParentId"])]

    @Test func `Polls move a job on`() async throws {
        var options = OrgOptions()
        options.bulkPolls = 2
        let client = try OrgClient(options: options)
        let before = try client.state(accounts)
        var job = try await client.json(.post, "jobs/ingest", body: ["operation": "insert", "object": "Account"])
        let path = "jobs/ingest/\(job.id?.stringValue ?? "")"
        #expect(try await client.json(.get, path).state == "Open")
        #expect(try await client.send(.put, "\(path)/batches", text: "Name\nA\n", type: "text/csv").status == 201)
        let second = try await client.send(.put, "\(path)/batches", text: "Name\nB\n", type: "text/csv")
        #expect(second.status == 400)
        #expect(try await client.json(.patch, path, body: ["state": "UploadComplete"]).state == "UploadComplete")
        var states: [JSONValue?] = []
        for _ in 0..<2 { states.append(try await client.json(.get, path).state) }
        #expect(try client.state(accounts) == before)
        #expect(client.code(try await client.json(.get, "\(path)/failedResults")) == "INVALIDJOBSTATE")
        for _ in 0..<2 { states.append(try await client.json(.get, path).state) }
        #expect(states == ["InProgress", "InProgress", "JobComplete", "JobComplete"])
        #expect(try client.state(accounts) == before + "\nAccount A null null")
        #expect(client.code(try await client.json(.patch, path, body: ["state": "Aborted"])) == "INVALIDJOBSTATE")

        job = try await client.json(.post, "jobs/ingest", body: ["operation": "insert", "object": "Account"])
        let other = "jobs/ingest/\(job.id?.stringValue ?? "")"
        #expect(client.code(try await client.json(.delete, other)) == "INVALIDJOBSTATE")
        _ = try await client.send(.put, "\(other)/batches", text: "Name\nB,\n", type: "text/csv")
        _ = try await client.json(.patch, other, body: ["state": "UploadComplete"])
        #expect(try await client.json(.patch, other, body: ["state": "Aborted"]).state == "Aborted")
        #expect(try await client.results(job, "unprocessedrecords") == "\"Name\"\n\"B\",\"\"\n")
        #expect(
            client.code(try await client.json(.patch, other, body: ["state": "UploadComplete"])) == "INVALIDJOBSTATE")
        #expect(try await client.json(.get, "jobs/ingest").records?.arrayValue?.count == 2)
        #expect(try await client.send(.delete, other).status == 204)
        #expect(try await client.send(.get, other).status == 404)
        #expect(try await client.json(.get, "jobs/ingest").records?.arrayValue?.map { $0.state } == ["JobComplete"])
    }

    @Test func `A fault affects one row`() async throws {
        let client = try OrgClient()
        client.org.add(
            OrgFault(.itemError(.init(index: 1, code: "UNABLE_TO_LOCK_ROW")), path: "/jobs/ingest/", count: 3))
        let job = try await client.ingest(["operation": "insert", "object": "Account"], "Name\nA\nB\nC\n")
        #expect(job.numberRecordsFailed == 1)
        #expect(try await client.results(job, "failedResults").contains("\"UNABLE_TO_LOCK_ROW:unable to obtain"))
        #expect(try client.state([("Account", ["Name"])]).hasSuffix("Account A\nAccount C"))
    }

    /// This holds also while the job waits for something else.
    @Test func `A polled job fails`() async throws {
        let client = try OrgClient()
        let before = try client.state(accounts)
        client.org.setOptions { $0.bulkPolls = 5 }
        client.org.add(OrgFault(.jobFail("InternalServerError : x"), method: "GET", count: 1))
        let failed = try await client.ingest(["operation": "insert", "object": "Account"], "Name\nA\n")
        #expect(failed.state == "Failed" && failed.errorMessage == "InternalServerError : x")
        #expect(try client.state(accounts) == before)
    }

    @Test func `Faults fail and stall jobs`() async throws {
        let client = try OrgClient()
        let before = try client.state(accounts)
        let insert: JSONValue = ["operation": "insert", "object": "Account"]
        client.org.add(OrgFault(.jobFail("InternalServerError : x"), method: "PATCH", count: 1))
        let failed = try await client.ingest(insert, "Name\nA\n")
        #expect(failed.state == "Failed" && failed.errorMessage == "InternalServerError : x")
        #expect(try await client.results(failed, "unprocessedrecords") == "\"Name\"\n\"A\"\n")
        client.org.add(OrgFault(.jobStall(polls: 1, time: .milliseconds(5000)), method: "PATCH", count: 1))
        let stalled = try await client.ingest(insert, "Name\nB\n")
        #expect(stalled.state == "InProgress")
        let path = "jobs/ingest/\(stalled.id?.stringValue ?? "")"
        client.org.advanceClock(by: .milliseconds(4999))
        #expect(try await client.json(.get, path).state == "InProgress")
        #expect(try client.state(accounts) == before)
        client.org.advanceClock(by: .milliseconds(1))
        #expect(try await client.json(.get, path).state == "JobComplete")
        #expect(try client.state(accounts) == before + "\nAccount B null null")
        // The job has not been started.
        client.org.add(
            OrgFault(.jobStall(polls: 2, time: .milliseconds(0), state: .uploadComplete), method: "PATCH", count: 1))
        let waiting = try await client.ingest(insert, "Name\nC\n")
        #expect(waiting.state == "UploadComplete")
        let other = "jobs/ingest/\(waiting.id?.stringValue ?? "")"
        #expect(try await client.json(.get, other).state == "UploadComplete")
        #expect(try client.state(accounts) == before + "\nAccount B null null")
        #expect(try await client.json(.get, other).state == "JobComplete")
    }

    /// The effect of a fault ends with its request: it changes neither the options nor other jobs.
    @Test func `A fault does not change the org's options`() async throws {
        var options = OrgOptions()
        options.admin = true
        let client = try OrgClient(options: options)
        let before = try await client.json(.get, "/_emu/options")
        for effect in [
            .jobFail("x"), .jobStall(polls: 9, time: .milliseconds(9)), .shuffle(3),
            .searchIndexDelay(.milliseconds(99)),
            .replicationLag(.milliseconds(99)), .expireCursorsLater(pages: 1, after: .milliseconds(1)),
        ] as [OrgFault.Effect] {
            client.org.add(OrgFault(effect, count: 1))
            _ = try await client.send(.get, "limits")
            client.org.removeFault()
            #expect(try await client.json(.get, "/_emu/options") == before, "\(effect)")
        }
        #expect(
            try await client.ingest(["operation": "insert", "object": "Account"], "Name\nA\n").state == "JobComplete")
    }
}
