// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore
import Synchronization
import Testing

@testable import SoupLocalOrg

/// The stored jobs, queries and briefcases are limited by their size, not only by their number.
@Suite struct KeptResultsTests {
    private let client: OrgClient

    init() throws { client = try OrgClient() }

    private func ingest(_ names: Int) async throws -> JSONValue {
        let lines = (0..<names).map { "Name \($0)\n" }.joined()
        return try await client.ingest(["operation": "insert", "object": "Account"], "Name\n" + lines)
    }

    private var size: Int { client.org.core.withLock { $0.bulk.size } }

    @Test func `The oldest finished results are removed first`() async throws {
        client.org.core.withLock { $0.bulk.mostBytes = 40_000 }
        let open = try await client.json(.post, "jobs/ingest", body: ["operation": "insert", "object": "Account"])
        var jobs: [JSONValue] = []
        for _ in 0..<6 {
            jobs.append(try await ingest(200))
            #expect(size <= 40_000)
        }
        let kept = try await client.json(.get, "jobs/ingest").records?.arrayValue ?? []
        #expect(kept.first?.id == open.id && kept.last?.id == jobs.last?.id)
        #expect((2...6).contains(kept.count))
        let first = try await client.json(.get, "jobs/ingest/\(jobs[0].id?.stringValue ?? "")")
        #expect(client.code(first) == "NOT_FOUND")
        #expect(try await client.results(jobs[5], "successfulResults").split(separator: "\n").count == 201)
        _ = try await client.send(.delete, "jobs/ingest/\(jobs[5].id?.stringValue ?? "")")
        for job in kept.dropFirst().dropLast() {
            _ = try await client.send(.delete, "jobs/ingest/\(job.id?.stringValue ?? "")")
        }
        // The size of the open job alone.
        #expect(size < 3000)
    }

    @Test func `A job larger than the memory limit is done`() async throws {
        client.org.core.withLock { $0.bulk.mostBytes = 10 }
        let job = try await ingest(100)
        #expect(job.state == "JobComplete")
        let query = try await client.json(
            .post, "jobs/query", body: ["operation": "query", "query": "SELECT Name FROM Account"])
        let path = "jobs/query/\(query.id?.stringValue ?? "")"
        #expect(try await client.json(.get, path).numberRecordsProcessed == 103)
        #expect(try await client.json(.get, "jobs/ingest").records == [])
    }

    // MARK: Bulk API 1.0

    private func classic(
        _ path: String, _ body: JSONValue? = nil, headers: [String: String] = [:]
    ) async throws -> JSONValue {
        let headers = headers.merging(["X-SFDC-Session": client.org.accessToken, "Content-Type": "application/json"]) {
            first, _ in first
        }
        var bytes: [UInt8] = []
        if let text = body?.stringValue {
            bytes = Array(text.utf8)
        } else if let body {
            bytes = Array(try JSONText(body).bytes)
        }
        let answer = try await client.send(
            body == nil ? .get : .post, "/services/async/60.0/job\(path)", bytes: bytes, headers: headers)
        return try JSONValue(parsing: answer.body)
    }

    private func cut(_ size: Int) async throws -> (id: String, batches: [JSONValue]) {
        let job = try await classic(
            "", ["operation": "query", "object": "Account", "contentType": "JSON"],
            headers: ["Sforce-Enable-PKChunking": "chunkSize=\(size)"])
        let id = job.id?.stringValue ?? ""
        _ = try await classic("/\(id)/batch", "SELECT Name FROM Account")
        return (id, try await classic("/\(id)/batch").batchInfo?.arrayValue ?? [])
    }

    @Test func `A query is not split beyond a job's batches`() async throws {
        try client.org.reset(to: .large(10_001))
        let many = try await cut(1).batches
        #expect(many.map { $0.state } == ["Failed"])
        #expect(
            many.first?.stateMessage
                == "InvalidBatch : Failed to process query: ExceededQuota: The query would be split into 10001 batches; a job has at most 10000"
        )
        #expect(try await cut(2).batches.count == 5002)
    }

    @Test func `Batches are limited by size too`() async throws {
        try client.org.reset(to: .large(200))
        client.org.core.withLock { $0.bulk.mostBytes = 60_000 }
        let first = try await cut(10)
        #expect(first.batches.count == 21 && size <= 60_000)
        for _ in 0..<4 { #expect(try await cut(10).batches.count == 21) }
        #expect(size <= 60_000)
        #expect(try await classic("/\(first.id)/batch").batchInfo == [])
        #expect(try await classic("/\(first.id)").numberBatchesTotal == 0)
    }

    // MARK: Queries and briefcases

    private func cursor(_ client: OrgClient) async throws -> String {
        try await client.query("SELECT Id FROM Account", batchSize: 200).nextRecordsUrl?.stringValue ?? ""
    }

    @Test func `Expired cursors are removed`() async throws {
        try client.org.reset(to: .large(300))
        client.org.setOptions { $0.cursorLifetime = .milliseconds(1000) }
        for _ in 0..<5 { _ = try await cursor(client) }
        #expect(client.org.core.withLock { $0.cursors.count } == 5)
        client.org.advanceClock(by: .milliseconds(1000))
        let last = try await cursor(client)
        #expect(client.org.core.withLock { $0.cursors.count } == 1)
        #expect(try await client.json(.get, last).records?.arrayValue?.count == 100)
    }

    @Test func `The oldest cursors are removed above the limit`() async throws {
        try client.org.reset(to: .large(300))
        client.org.core.withLock { $0.cursors.mostBytes = 5 * 300 * 8 }
        var cursors: [String] = []
        for _ in 0..<7 { cursors.append(try await cursor(client)) }
        #expect(client.org.core.withLock { $0.cursors.count } == 5)
        #expect(client.code(try await client.json(.get, cursors[1])) == "INVALID_QUERY_LOCATOR")
        for left in cursors[2...] {
            #expect(try await client.json(.get, left).records?.arrayValue?.count == 100)
        }
        client.org.setOptions { $0.cursorsKeepRows = true }
        let kept = try await cursor(client)
        #expect(client.org.core.withLock { $0.cursors.count } == 1)
        #expect(try await client.json(.get, kept).records?.arrayValue?.count == 100)
    }

    @Test func `Briefcases are limited by size too`() {
        var register = PrimingRegister()
        register.mostRecords = 10
        func priming(_ count: Int) -> Priming {
            Priming(
                records: (0..<count).map {
                    PrimingRecord(object: "Account", recordType: "", id: "\($0)", stamp: 0, rule: 0)
                }, rules: [], errors: [])
        }
        let numbers = (0..<4).map { _ in register.keep(priming(4)) }
        #expect(numbers.map { register[$0] == nil } == [true, true, false, false])
        let large = register.keep(priming(40))
        #expect(register[large]?.records.count == 40 && register[numbers[3]] == nil)
    }
}
