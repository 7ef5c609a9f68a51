// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Testing

@testable import SoupBridgeServer

@Suite struct ClientCheckTests {
    private let check = ClientCheck(secret: "s3cret", origins: ["http://localhost:3000"])

    private func request(
        authorization: String? = "Bearer s3cret", host: String? = "127.0.0.1:80", origin: String? = nil
    ) -> HTTPRequest {
        var request = HTTPRequest(method: .post, scheme: "http", authority: host, path: "/bridge/exec")
        request.headerFields[.authorization] = authorization
        request.headerFields[.origin] = origin
        return request
    }

    @Test(arguments: [nil, "http://localhost:3000", "http://127.0.0.1:80"])
    func `Programs and allowed pages with the secret are accepted`(origin: String?) {
        #expect(check.refusal(of: request(origin: origin)) == nil)
        #expect(check.fields(for: request(origin: origin))[.accessControlAllowOrigin] == origin)
    }

    @Test(arguments: [nil, "", "s3cret", "Bearer", "Bearer s3cre", "bearer s3cret", "Bearer S3cret"])
    func `A missing or wrong secret is refused`(authorization: String?) {
        #expect(check.refusal(of: request(authorization: authorization))?.status == .unauthorized)
    }

    @Test(
        arguments: [
            "http://localhost:3001", "https://localhost:3000", "http://localhost:3000.example.org", "null",
            "http://127.0.0.1",
        ]
    )
    func `Pages of other origins are refused`(origin: String) {
        let request = request(origin: origin)
        #expect(check.refusal(of: request)?.status == .forbidden)
        #expect(check.fields(for: request)[.accessControlAllowOrigin] == nil)
    }

    @Test(arguments: [nil, "example.org", "127.0.0.1.example.org", "127.0.0.1:80x", "localhost@example.org"])
    func `A request for another host is refused`(host: String?) {
        #expect(check.refusal(of: request(host: host))?.status == .forbidden)
    }

    @Test(arguments: ["localhost", "LOCALHOST:1", "[::1]:8080", "127.0.0.1"])
    func `Every name of this machine is accepted`(host: String) {
        #expect(check.refusal(of: request(host: host)) == nil)
    }
}
