// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore
import SoupKit
import SoupTesting
import Testing

@Suite struct URLSessionTransportTests {
    private func failure(_ request: HTTPRequest, body: [UInt8]? = nil) async -> SoupError? {
        await #expect(throws: SoupError.self) { try await URLSessionTransport().send(request, body: body) }
    }

    /// No server listens at port 1; a request that was not delivered may be sent again, even if it writes.
    @Test(arguments: [HTTPRequest.Method.get, .post, .patch, .delete])
    func `A refused connection is reported as not sent`(method: HTTPRequest.Method) async {
        let error = await failure(HTTPRequest(method: method, scheme: "http", authority: "127.0.0.1:1", path: "/"))
        #expect(error?.code == .network)
        #expect(error?.delivery == .notSent)
        #expect(error?.hint == "Check the URL of the server and the connection.")
    }

    @Test func `A request must name its server`() async {
        let error = await failure(HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/services/data"))
        #expect(error?.code == .badConfiguration)
    }

    @Test func `A cancelled task sends nothing`() async {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            let request = HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1:1", path: "/")
            return try await URLSessionTransport().send(request, body: nil).status
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    /// Cancels at moments around the first suspension; each request must end.
    @Test(.timeLimit(.minutes(15)), arguments: [HTTPRequest.Method.get, .post])
    func `A cancelled request ends at every moment`(method: HTTPRequest.Method) async {
        let transport = URLSessionTransport()
        for round in 0..<60 {
            await withTaskGroup { group in
                for lane in 0..<8 {
                    group.addTask {
                        let task = Task {
                            let request = HTTPRequest(
                                method: method, scheme: "http", authority: "127.0.0.1:1", path: "/")
                            return try await transport.send(request, body: nil).status
                        }
                        for _ in 0..<(round * lane) { await Task.yield() }
                        task.cancel()
                        let error = await #expect(throws: (any Error).self) { try await task.value }
                        #expect(error is CancellationError || (error as? SoupError)?.code == .network)
                    }
                }
            }
        }
    }

    /// FoundationNetworking ends the process if a session cancels a task while the end of the task is reported.
    @Test(.timeLimit(.minutes(15))) func `A transport can be released while its exchanges end`() async throws {
        let block = [UInt8](repeating: 97, count: 100_001)
        let server = try RawServer { request in
            switch request.path {
            case "/announced": RawReply(body: block, then: .close)
            default: RawReply("HTTP/1.1 200 OK\r\n\r\n", then: .close).followed(by: block, times: 1000)
            }
        }
        defer { server.stop() }
        for _ in 0..<60 {
            let transport = URLSessionTransport(maximumAnswerBytes: 100_000)
            for path in ["/announced", "/close"] {
                let request = HTTPRequest(
                    method: .get, scheme: "http", authority: server.authority, path: path)
                let error = await #expect(throws: SoupError.self) { try await transport.send(request, body: nil) }
                #expect(error?.code == .answerTooLong)
            }
        }
    }

    /// Foundation on Linux ignores that a delegate rejects a response, and would receive the whole body.
    @Test(.timeLimit(.minutes(1))) func `The connection of a response that is too long is closed`() async throws {
        let server = try RawServer { _ in
            RawReply("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\nabc", then: .hold)
        }
        defer { server.stop() }
        let transport = URLSessionTransport(
            idleTimeout: .seconds(3600), totalTimeout: .seconds(3600), maximumAnswerBytes: 1000)
        let request = HTTPRequest(method: .get, scheme: "http", authority: server.authority, path: "/")
        let error = await #expect(throws: SoupError.self) { try await transport.send(request, body: nil) }
        #expect(error?.code == .answerTooLong)
        while !server.hasClosed(1) {
            try Task.checkCancellation()
            await Task.yield()
        }
    }
}
