// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Server
    import HTTPTypes
    import SoupLocalOrg
    import SoupCore
    import SoupKit
    import Synchronization
    import Testing

    @Suite struct URLSessionTransportServerTests {
        /// Runs `body` with an org that is served over HTTP, and its URL.
        private func withOrg(_ body: @escaping @Sendable (LocalOrg, String) async throws -> Void) async throws {
            let org = try LocalOrg(seed: .tiny)
            let (urls, ready) = AsyncStream.makeStream(of: String.self)
            try await withThrowingTaskGroup { group in
                group.addTask { try await org.serve { ready.yield($0) } }
                group.addTask {
                    guard let url = await urls.first(where: { _ in true }) else { return }
                    try await body(org, url)
                }
                defer { group.cancelAll() }
                try await group.next()
            }
        }

        /// A server may close a connection after its response without announcing it.
        ///
        /// The next request must neither be sent twice nor lose its body.
        @Test func `Consecutive writes each arrive once and complete`() async throws {
            try await withOrg { org, url in
                let session = SessionTransport(
                    over: URLSessionTransport(idleTimeout: .seconds(20)),
                    credentials: SalesforceCredentials(instanceURL: url, accessToken: org.accessToken), retry: .never)
                for lane in 0..<4 {
                    try await withThrowingTaskGroup { group in
                        for number in 0..<20 {
                            group.addTask {
                                let request = HTTPRequest(
                                    method: .post, scheme: nil, authority: nil,
                                    path: "/services/data/v66.0/sobjects/Account",
                                    headerFields: [.contentType: "application/json"])
                                let body = #"{"Name": "\#(lane) \#(number)"}"#
                                let answer = try await session.send(request, body: Array(body.utf8))
                                #expect(answer.status == 201)
                            }
                            if number % 4 == 3 { try await group.waitForAll() }
                        }
                    }
                }
                let names = try org.state(of: "Account").compactMap { $0["Name"]?.stringValue }
                let written = names.filter { $0.first?.isNumber == true }.sorted()
                #expect(written == (0..<4).flatMap { lane in (0..<20).map { "\(lane) \($0)" } }.sorted())
            }
        }

        /// Once, with the documented number of bytes; a short response may be returned without it.
        @Test func `The beginning of a long response is passed to the caller`() async throws {
            try await withOrg { org, url in
                let session = SessionTransport(
                    over: URLSessionTransport(idleTimeout: .seconds(20)),
                    credentials: SalesforceCredentials(instanceURL: url, accessToken: org.accessToken), retry: .never)
                func shown(_ path: String) async throws -> (shown: [HTTPAnswer], answer: HTTPAnswer) {
                    let shown = Mutex<[HTTPAnswer]>([])
                    let request = HTTPRequest(
                        method: .get, scheme: nil, authority: nil, path: "/services/data/v66.0\(path)")
                    let answer = try await session.send(request, body: nil) { answer in
                        shown.withLock { $0.append(answer) }
                    }
                    return (shown.withLock { $0 }, answer)
                }
                let long = try await shown("/sobjects/Account/describe")
                #expect(long.answer.body.count > HTTPAnswer.beginningBytes)
                #expect(long.shown.map(\.body) == [Array(long.answer.body.prefix(HTTPAnswer.beginningBytes))])
                #expect(long.shown.map(\.response) == [long.answer.response])
                #expect(try await shown("/query?q=SELECT+Id+FROM+Account+LIMIT+1").shown.map(\.body) == [])
                org.add(OrgFault(.drop(.midBody), path: "/describe", count: 1))
                let half = try? await shown("/sobjects/Account/describe")
                #expect(half == nil, "an incomplete response was returned")
            }
        }

        /// The limit applies to the announced length and to the received bytes.
        @Test func `A response that is too long is an error`() async throws {
            try await withOrg { org, url in
                func send(limit: Int) async throws -> HTTPAnswer {
                    let session = SessionTransport(
                        over: URLSessionTransport(idleTimeout: .seconds(20), maximumAnswerBytes: limit),
                        credentials: SalesforceCredentials(instanceURL: url, accessToken: org.accessToken))
                    let request = HTTPRequest(
                        method: .get, scheme: nil, authority: nil,
                        path: "/services/data/v66.0/sobjects/Account/describe")
                    return try await session.send(request, body: nil)
                }
                let length = try await send(limit: 1 << 20).body.count
                #expect(length > 100)
                #expect(try await send(limit: length).body.count == length)
                for limit in [0, 10, length - 1] {
                    let error = await #expect(throws: SoupError.self) { try await send(limit: limit) }
                    #expect(error?.code == .answerTooLong)
                    #expect(error?.message == "the answer of the server is longer than \(limit) bytes")
                    #expect(error?.delivery == .unknown)
                }
            }
        }
    }
#endif
