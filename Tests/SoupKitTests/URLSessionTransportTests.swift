// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore
import SoupKit
import Testing

@Suite struct URLSessionTransportTests {
    private func failure(_ request: HTTPRequest, body: [UInt8]? = nil) async -> SoupError? {
        await #expect(throws: SoupError.self) { try await URLSessionTransport().send(request, body: body) }
    }

    /// Nothing listens at port 1: what cannot even be delivered may be sent again, whatever it is.
    @Test(arguments: [HTTPRequest.Method.get, .post, .patch, .delete])
    func aRefusedConnectionIsKnownNotToHaveSentAnything(method: HTTPRequest.Method) async {
        let error = await failure(HTTPRequest(method: method, scheme: "http", authority: "127.0.0.1:1", path: "/"))
        #expect(error?.code == .network)
        #expect(error?.delivery == .notSent)
        #expect(error?.hint == "Check the URL of the server and the connection.")
    }

    @Test func aRequestMustNameItsServer() async {
        let error = await failure(HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/services/data"))
        #expect(error?.code == .badConfiguration)
    }

    @Test func aCancelledTaskSendsNothing() async {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            let request = HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1:1", path: "/")
            return try await URLSessionTransport().send(request, body: nil).status
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
