// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Server
    import SoupLocalOrg
    import SoupCore
    import SoupTesting
    import Testing

    /// A web page in a browser on this machine can send requests to the org; the server refuses them.
    @Suite struct RequestSenderTests {
        /// Returns the status and code for a request with these headers to an org with an open administration.
        private func answer(
            _ request: String, _ headers: String, options change: (inout OrgOptions) -> Void = { _ in },
            afterwards check: (LocalOrg) throws -> Void = { _ in }
        ) async throws -> String {
            var options = OrgOptions()
            options.admin = true
            change(&options)
            let org = try LocalOrg(seed: .tiny, options: options)
            let (urls, ready) = AsyncStream.makeStream(of: String.self)
            let server = Task {
                defer { ready.finish() }
                try await org.serve { ready.yield($0) }
            }
            var found = ""
            for await url in urls {
                let port = url.split(separator: ":").last.flatMap { Int($0) } ?? 0
                let headers = headers.replacing("PORT", with: String(port)).replacing("TOKEN", with: org.accessToken)
                let text = try await RawConnection.send(
                    "\(request) HTTP/1.1\r\n\(headers)Connection: close\r\n\r\n", to: port)
                let body = text.split(separator: "\r\n\r\n", maxSplits: 1).last.map(String.init) ?? ""
                let code = (try? JSONValue(parsing: body))?[0]?["errorCode"]?.stringValue
                found = ([String(text.dropFirst(9).prefix(3))] + [code].compactMap { $0 }).joined(separator: " ")
                server.cancel()
            }
            try await server.value
            try check(org)
            return found
        }

        @Test(arguments: [
            "localhost", "localhost:PORT", "LocalHost:1", "127.0.0.1:PORT", "127.9.9.9", "[::1]:PORT", "[::1]",
            "app.localhost:PORT", "localhost.:PORT",
        ])
        func `Requests to this machine are answered`(host: String) async throws {
            #expect(try await answer("GET /services/data", "Host: \(host)\r\n") == "200")
            #expect(try await answer("GET /_emu/health", "Host: \(host)\r\n") == "200")
        }

        @Test(arguments: [
            "evil.example", "evil.example:PORT", "127.0.0.1.evil.example", "localhost.evil.example", "evillocalhost",
            "128.0.0.1", "127.0.0.256", "10.0.0.1:PORT", "[::2]", "example.org.",
        ])
        func `Another host is rejected everywhere`(host: String) async throws {
            let requests = [
                "GET /services/data", "GET /services/data/v60.0/query?q=select+Id+from+Account",
                "GET /_emu/state/Account",
                "POST /_emu/reset", "POST /services/oauth2/token",
            ]
            for request in requests {
                let found = try await answer(
                    request, "Host: \(host)\r\nAuthorization: Bearer TOKEN\r\nContent-Length: 0\r\n",
                    afterwards: { #expect($0.journal.isEmpty) })
                #expect(found == "403 INVALID_HOST", "\(request)")
            }
        }

        @Test(arguments: ["", "Host: \r\n", "Host: a b\r\n", "Host: localhost:80a\r\n", "Host: user@localhost\r\n"])
        func `A request without a host is rejected`(header: String) async throws {
            #expect(try await answer("GET /_emu/state/Account", header).hasPrefix("400"))
        }

        @Test func `An allowed host is answered`() async throws {
            let header = "Host: host.docker.internal:PORT\r\n"
            #expect(try await answer("GET /services/data", header) == "403 INVALID_HOST")
            #expect(
                try await answer("GET /services/data", header) { $0.allowedHosts = ["Host.Docker.Internal"] } == "200")
        }

        @Test(arguments: [
            "Origin: https://evil.example", "Origin: null", "Origin: http://localhost:1",
            "Origin: https://localhost:PORT",
            "Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site",
        ])
        func `Another origin cannot use the administration`(header: String) async throws {
            let headers = "Host: localhost:PORT\r\n\(header)\r\nContent-Length: 0\r\n"
            for request in ["GET /_emu/state/Account", "POST /_emu/reset", "POST /%5Femu/reset", "DELETE /_emu/faults"]
            {
                #expect(try await answer(request, headers) == "403 INVALID_ORIGIN", "\(request)")
            }
            #expect(try await answer("GET /services/data", headers) == "200")
        }

        @Test func `Pages of the org itself may use the administration`() async throws {
            for header in [
                "Origin: http://localhost:PORT\r\n", "Sec-Fetch-Site: same-origin\r\n", "Sec-Fetch-Site: none\r\n",
            ] {
                #expect(try await answer("GET /_emu/health", "Host: localhost:PORT\r\n" + header) == "200")
            }
        }
    }
#endif
