// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Server
    import Foundation
    import SoupLocalOrg
    import SoupCore
    import SoupTesting
    import Testing

    #if canImport(FoundationNetworking)
        import FoundationNetworking
    #endif

    @Suite struct LocalOrgServeTests {
        /// Serves an org while `body` runs, and waits for the server to end.
        private func serving(
            _ org: LocalOrg, certificate: OrgCertificate? = nil, _ body: (String) async throws -> Void
        ) async throws {
            let (urls, ready) = AsyncStream.makeStream(of: String.self)
            let server = Task {
                defer { ready.finish() }
                try await org.serve(certificate: certificate) { ready.yield($0) }
            }
            for await url in urls {
                do { try await body(url) } catch { Issue.record(error) }
                server.cancel()
            }
            try await server.value
        }

        private func get(_ url: String, token: String, body: String? = nil) async throws -> (Data, HTTPURLResponse) {
            var request = URLRequest(url: try #require(URL(string: url)))
            request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
            if let body {
                request.httpMethod = "POST"
                request.httpBody = Data(body.utf8)
                request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            }
            let session = URLSession(configuration: .ephemeral)
            defer { session.finishTasksAndInvalidate() }
            let (data, response) = try await session.data(for: request)
            return (data, try #require(response as? HTTPURLResponse))
        }

        @Test func `The server answers until it is cancelled`() async throws {
            let org = try LocalOrg(seed: .large(2500))
            org.freezeClock(at: Date(millisecondsSince1970: 1_705_320_300_000))
            let token = org.accessToken
            try await serving(org) { url in
                #expect(url.hasPrefix("http://127.0.0.1:"))
                let query = "/services/data/v60.0/query?q=select+Id,Name,Description,Website+from+Account"
                let (data, response) = try await get(url + query, token: token)
                #expect(response.statusCode == 200)
                #expect(response.value(forHTTPHeaderField: "Date") == "Mon, 15 Jan 2024 12:05:00 GMT")
                let page = try JSONValue(parsing: Array(data))
                #expect(page.records?.arrayValue?.count == 2000 && page.totalSize == 2500)
                let (created, answer) = try await get(
                    url + "/services/data/v60.0/sobjects/Account", token: token, body: #"{"Name": "Ünï"}"#)
                #expect(answer.statusCode == 201)
                #expect(try JSONValue(parsing: Array(created)).success == true)
                let (root, _) = try await get(url + "/services/data/v60.0", token: token)
                #expect(try JSONValue(parsing: Array(root)).identity?.stringValue?.hasPrefix(url) == true)
            }
        }

        /// The clock holds the request in the middle of its delay when the org is stopped.
        @Test func `Pauses do not delay the end of the server`() async throws {
            let org = try LocalOrg(seed: .tiny)
            org.add(OrgFault(.latency(.milliseconds(3_600_000), jitter: .zero)))
            let token = org.accessToken
            var waiting: Task<Void, any Error>?
            try await serving(org) { url in
                waiting = Task { _ = try await get(url + "/services/data/v60.0/limits", token: token) }
                while org.faults.first?.fired != 1 { await Task.yield() }
            }
            await #expect(throws: URLError.self) { try await waiting?.value }
        }

        /// The org is stopped while it handles a request; the response is complete.
        @Test func `Requests in progress are finished`() async throws {
            let org = try LocalOrg(seed: .large(2000))
            let token = org.accessToken
            let clause = "select+Id,Name,Description,Website+from+Account"
            var asked: Task<Int?, any Error>?
            try await serving(org) { url in
                asked = Task {
                    let (data, _) = try await get("\(url)/services/data/v60.0/query?q=\(clause)", token: token)
                    return try JSONValue(parsing: Array(data)).records?.arrayValue?.count
                }
                // The journal has the request when it is answered; its megabyte is not sent yet.
                while org.journal.isEmpty { await Task.yield() }
            }
            #expect(try await asked?.value == 2000)
        }

        @Test func `Faults break the connection itself`() async throws {
            let org = try LocalOrg(seed: .tiny)
            let token = org.accessToken
            try await serving(org) { url in
                for point in [OrgFault.DropPoint.accept, .beforeHeaders, .midBody, .afterCommit] {
                    org.add(OrgFault(.drop(point), method: "POST", count: 1))
                    await #expect(throws: URLError.self, "\(point)") {
                        _ = try await get(
                            url + "/services/data/v60.0/sobjects/Account", token: token, body: #"{"Name": "Lost"}"#)
                    }
                }
                let (_, response) = try await get(url + "/services/data/v60.0/limits", token: token)
                #expect(response.statusCode == 200)
            }
            #expect(try org.state(of: "Account").count { $0["Name"] == "Lost" } == 2)
        }

        @Test(arguments: ["close", "Close", "keep-alive, CLOSE"]) func `A requested close follows the response`(
            _ wish: String
        ) async throws {
            let org = try LocalOrg(seed: .tiny)
            try await serving(org) { url in
                let port = try #require(url.split(separator: ":").last.flatMap { Int($0) })
                let answer = try await RawConnection.send(
                    "GET /services/data HTTP/1.1\r\nHost: localhost\r\nConnection: \(wish)\r\n\r\n", to: port)
                #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
                #expect(answer.lowercased().contains("\r\nconnection: close\r\n"))
                #expect(answer.hasSuffix("}]"))
            }
        }

        @Test func `A port in use is reported plainly`() async throws {
            let org = try LocalOrg(seed: .tiny)
            try await serving(org) { url in
                let port = try #require(url.split(separator: ":").last.flatMap { Int($0) })
                let error = await #expect(throws: SoupError.self) { try await LocalOrg(seed: .tiny).serve(port: port) }
                #expect(error?.code == .network)
                #expect(error?.message == "port \(port) is in use")
                #expect(error?.hint?.contains("0 selects a free port") == true)
            }
        }

        /// A client must not take a body for the start of the next response on the connection.
        @Test(arguments: [
            ("{\"do\": {\"kind\": \"http\", \"status\": 204}}", "GET"),
            ("{\"do\": {\"kind\": \"http\", \"status\": 304}}", "GET"),
            ("{\"do\": {\"kind\": \"garbage\", \"bytes\": 50}}", "DELETE"),
            ("{\"do\": {\"kind\": \"garbage\"}}", "DELETE"),
            (
                "{\"do\": {\"kind\": \"http\", \"status\": 503, \"headers\": {\"Transfer-Encoding\": \"chunked\"}}}",
                "GET"
            ),
            ("{\"do\": {\"kind\": \"http\", \"status\": 204, \"headers\": {\"Content-Length\": \"9\"}}}", "GET"),
        ])
        func `Faults keep the frames of a connection`(_ fault: String, _ method: String) async throws {
            var options = OrgOptions()
            options.admin = true
            let org = try LocalOrg(seed: .tiny, options: options)
            let token = org.accessToken
            let id = org.id(of: "con3") ?? ""
            try await serving(org) { url in
                let port = try #require(url.split(separator: ":").last.flatMap { Int($0) })
                let head = "HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\n"
                let answer = try await RawConnection.send(
                    "POST /_emu/faults \(head)Content-Type: application/json\r\n"
                        + "Content-Length: \(fault.utf8.count)\r\n\r\n\(fault)"
                        + "\(method) /services/data/v60.0/sobjects/Contact/\(id) \(head)\r\n"
                        + "GET /_emu/health \(head)Connection: close\r\n\r\n", to: port)
                #expect(try Self.bodies(answer).last == "{\"ok\":true}", "\(answer)")
                #expect(try Self.bodies(answer).count == 3, "\(answer)")
            }
        }

        /// The error for a response whose end a client cannot determine.
        private struct NoLength: Error {}

        /// Returns the bodies of the responses on a connection, as a client reads them.
        private static func bodies(_ text: String) throws -> [String] {
            var bodies: [String] = []
            var rest = text.utf8[...]
            while !rest.isEmpty {
                guard rest.starts(with: "HTTP/1.1 ".utf8), let end = rest.firstRange(of: "\r\n\r\n".utf8) else {
                    throw NoLength()
                }
                let head = String(decoding: rest[..<end.lowerBound], as: UTF8.self).lowercased()
                let hasNone = ["http/1.1 204", "http/1.1 304"].contains { head.hasPrefix($0) }
                let length = head.split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
                    .flatMap { Int($0.dropFirst(15).drop { $0 == " " }) }
                if head.contains("transfer-encoding") || (!hasNone && length == nil) { throw NoLength() }
                rest = rest[end.upperBound...]
                bodies.append(String(decoding: rest.prefix(hasNone ? 0 : length ?? 0), as: UTF8.self))
                rest = rest.dropFirst(hasNone ? 0 : length ?? 0)
            }
            return bodies
        }

        @Test func `A request body may be chunked`() async throws {
            let org = try LocalOrg(seed: .tiny)
            try await serving(org) { url in
                let port = try #require(url.split(separator: ":").last.flatMap { Int($0) })
                let answer = try await RawConnection.send(
                    "POST /services/data/v60.0/sobjects/Account/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                        + "Authorization: Bearer \(org.accessToken)\r\nContent-Type: application/json\r\n"
                        + "Transfer-Encoding: chunked\r\n\r\n9\r\n{\"Name\": \r\n9\r\n\"Chunks\"}\r\n0\r\n\r\n",
                    to: port)
                #expect(answer.hasPrefix("HTTP/1.1 201"))
            }
            #expect(try org.state(of: "Account").count { $0["Name"] == "Chunks" } == 1)
        }

        #if TLS
            @Test func `An unusable certificate is reported plainly`() async throws {
                let org = try LocalOrg(seed: .tiny)
                let (one, other) = (try OrgCertificate.selfSigned(), try OrgCertificate.selfSigned())
                for bad in [
                    OrgCertificate(chain: one.chain, key: other.key), OrgCertificate(chain: "", key: one.key),
                    OrgCertificate(chain: one.chain, key: "x"),
                ] {
                    let error = await #expect(throws: SoupError.self) { try await org.serve(certificate: bad) }
                    #expect(error?.code == .badConfiguration)
                    #expect(error?.message == "the certificate or its key cannot be used")
                }
            }

            @Test func `HTTPS is spoken and nothing else`() async throws {
                let org = try LocalOrg(seed: .tiny)
                let certificate = try OrgCertificate.selfSigned(clock: FixedClock(now: 4_102_444_800_000))
                #expect(certificate.chain.hasPrefix("-----BEGIN CERTIFICATE-----\nMII"))
                try await serving(org, certificate: certificate) { url in
                    #expect(url.hasPrefix("https://127.0.0.1:"))
                    // A client that does not trust the certificate is rejected.
                    await #expect(throws: URLError.self) { try await get(url + "/services/data", token: "") }
                    let port = try #require(url.split(separator: ":").last.flatMap { Int($0) })
                    let plain = try await RawConnection.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", to: port)
                    #expect(!plain.contains("HTTP/1.1"))
                }
            }
        #endif

        @Test func `Only this machine can be served`() async throws {
            let org = try LocalOrg(seed: .tiny)
            await #expect(throws: SoupError.self) { try await org.serve(host: "0.0.0.0") }
            await #expect(throws: SoupError.self) { try await org.serve(port: 70_000) }
        }
    }
#endif
