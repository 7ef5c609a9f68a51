// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore
import SoupTesting
import Testing

@testable import SoupLocalOrg

/// The limits of request bodies, with small limits.
@Suite struct BodyLimitsTests {
    private static let limits = BodyLimits(request: 300, upload: 3000, batch: 1000)
    private static let objects = [("Account", ["Name"]), ("Contact", ["Name"])]

    private func client() throws -> OrgClient {
        var options = OrgOptions()
        options.bodyLimits = Self.limits
        return try OrgClient(options: options)
    }

    private static func csv(_ length: Int) -> [UInt8] {
        let lines = Array("LastName\n".utf8) + (1...500).flatMap { Array("Row \($0)\n".utf8) }
        return Array(lines[..<length])
    }

    private func job(_ client: OrgClient) async throws -> String {
        try await client.json(.post, "jobs/ingest", body: ["operation": "insert", "object": "Contact"]).id?.stringValue
            ?? ""
    }

    @Test func `Bodies up to the servers' limits are accepted`() {
        #expect(BodyLimits() == BodyLimits(request: 52_428_800, upload: 150_000_000, batch: 10_000_000))
    }

    @Test(arguments: [300, 301]) func `Rows have the usual limit`(_ length: Int) async throws {
        let client = try client()
        let before = try client.state(Self.objects)
        let start = #"{"Name": "Long""#
        let body = start + String(repeating: " ", count: length - start.utf8.count - 1) + "}"
        let answer = try await client.send(.post, "sobjects/Account", text: body, type: "application/json")
        if length <= 300 {
            #expect(answer.status == 201)
            #expect(try client.state(Self.objects) != before)
        } else {
            #expect(answer.status == 413)
            #expect(
                try JSONValue(parsing: answer.body) == [
                    [
                        "message": "The size of the request exceeded the maximum of 300 bytes",
                        "errorCode": "EXCEEDED_MAX_SIZE_REQUEST",
                    ]
                ])
            #expect(try client.state(Self.objects) == before)
        }
        #expect(client.org.journal.map(\.status) == [answer.status])
    }

    @Test func `Limits apply to decompressed bodies`() async throws {
        let client = try client()
        let body = Array((#"{"Name": "Long"}"# + String(repeating: " ", count: 300)).utf8)
        let packed = try #require(Gzip.packed(body))
        #expect(packed.count < 300)
        let answer = try await client.send(
            .post, "sobjects/Account", bytes: packed,
            headers: ["Content-Type": "application/json", "Content-Encoding": "gzip"])
        #expect(answer.status == 413)
        #expect(client.code(try JSONValue(parsing: answer.body)) == "EXCEEDED_MAX_SIZE_REQUEST")
    }

    @Test func `Uploads may exceed the general limit`() async throws {
        let client = try client()
        let job = try await job(client)
        func upload(_ length: Int) async throws -> HTTPAnswer {
            try await client.send(
                .put, "jobs/ingest/\(job)/batches", bytes: Self.csv(length), headers: ["Content-Type": "text/csv"])
        }
        let refused = try await upload(3001)
        #expect(refused.status == 413)
        #expect(client.code(try JSONValue(parsing: refused.body)) == "EXCEEDED_MAX_SIZE_REQUEST")
        #expect(try await client.json(.get, "jobs/ingest/\(job)").state == "Open")
        #expect(try await upload(3000).status == 201)
        let done = try await client.json(.patch, "jobs/ingest/\(job)", body: ["state": "UploadComplete"])
        #expect(done.state == "UploadComplete")
        let lines = Self.csv(3000).count { $0 == UInt8(ascii: "\n") }
        #expect(try await client.json(.get, "jobs/ingest/\(job)").numberRecordsProcessed == .int(Int64(lines)))
    }

    @Test(arguments: ["XML", "JSON"]) func `Errors of Bulk API 1.0 use the request's format`(_ language: String)
        async throws
    {
        let client = try client()
        let type = language == "XML" ? "text/csv" : "application/json"
        let made = try await client.send(
            .post, "/services/async/60.0/job",
            text:
                #"{"operation": "insert", "object": "Contact", "contentType": "\#(language == "XML" ? "CSV" : "JSON")"}"#,
            type: "application/json")
        let job = try JSONValue(parsing: made.body).id?.stringValue ?? ""
        let before = try client.state(Self.objects)
        let refused = try await client.send(
            .post, "/services/async/60.0/job/\(job)/batch", bytes: Self.csv(1001), headers: ["Content-Type": type])
        #expect(refused.status == 400)
        let message = "Failed to read request. Exceeded max size limit of 1000"
        if language == "XML" {
            #expect(
                refused.text.contains(
                    "<exceptionCode>ClientInputError</exceptionCode><exceptionMessage>\(message)</exceptionMessage>"))
        } else {
            #expect(
                try JSONValue(parsing: refused.body) == [
                    "exceptionCode": "ClientInputError", "exceptionMessage": .string(message),
                ])
        }
        #expect(try client.state(Self.objects) == before)
    }

    #if Server
        /// For any length that the client announces, the connection stays usable, and a body that is too long is not
        /// stored.
        @Test func `A served org reads a body that it rejects`() async throws {
            let client = try client()
            let token = client.org.accessToken
            let head = "Host: localhost\r\nAuthorization: Bearer \(token)\r\nContent-Type: text/csv\r\n"
            let job = try await job(client)
            let path = "/services/data/v60.0/jobs/ingest/\(job)/batches"
            let long = String(decoding: Self.csv(3001), as: UTF8.self)
            let short = String(decoding: Self.csv(2900), as: UTF8.self)
            let (urls, ready) = AsyncStream.makeStream(of: String.self)
            let server = Task { try await client.org.serve { ready.yield($0) } }
            let url = try #require(await urls.first { _ in true })
            let port = try #require(url.split(separator: ":").last.flatMap { Int($0) })
            let answer = try await RawConnection.send(
                "PUT \(path) HTTP/1.1\r\n\(head)Content-Length: 3001\r\n\r\n\(long)"
                    + "PUT \(path) HTTP/1.1\r\n\(head)Transfer-Encoding: chunked\r\n\r\nBB9\r\n\(long)\r\n0\r\n\r\n"
                    + "PUT \(path) HTTP/1.1\r\n\(head)Content-Length: 2900\r\nConnection: close\r\n\r\n\(short)",
                to: port)
            server.cancel()
            try await server.value
            #expect(answer.split(separator: "HTTP/1.1 ").map { $0.prefix(3) } == ["413", "413", "201"])
            #expect(client.org.journal.map(\.status) == [200, 413, 413, 201])
            #expect(client.org.journal.map(\.body.count).suffix(3) == [0, 0, 2900])
        }
    #endif
}
