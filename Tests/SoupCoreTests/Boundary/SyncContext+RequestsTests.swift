// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore
import SoupTesting
import Testing

@Suite struct SyncContextRequestsTests {
    @Test(
        arguments: [
            ("/list?page=2", nil, nil, "/list?page=2"), ("https://a.example/x?y=1", "https", "a.example", "/x?y=1"),
            ("HTTP://a.example", "HTTP", "a.example", "/"), ("https://a.example?x=/1", "https", "a.example", "/?x=/1"),
            // A cursor or a value that contains a URL does not change the server.
            ("/a://evil.example/x", nil, nil, "/a://evil.example/x"),
            ("/x?next=https://evil.example/", nil, nil, "/x?next=https://evil.example/"),
            ("x y://evil.example", nil, nil, "x y://evil.example"), ("://evil.example", nil, nil, "://evil.example"),
            ("https://a.example/x?u=http://evil.example", "https", "a.example", "/x?u=http://evil.example"),
        ] as [(String, String?, String?, String)])
    func `Only the beginning of a path names a server`(
        path: String, scheme: String?, authority: String?, sent: String
    ) async throws {
        let transport = ScriptedTransport { _ in HTTPAnswer("{}") }
        _ = try await SyncContext(transport: transport, soup: "s").get(path)
        let request = try #require(transport.requests.first?.request)
        #expect(request.scheme == scheme)
        #expect(request.authority == authority)
        #expect(request.path == sent)
    }
}
