// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore
import SoupLocalOrg
import SoupTesting
import Testing

@Suite struct DeviceHandlerTests {
    private let clock = ManualClock()
    private let org: LocalOrg

    init() throws { org = try LocalOrg(seed: .medium, clock: clock) }

    private func post(_ form: String) async throws -> JSONValue {
        let answer = try await org.respond(
            to: HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/services/oauth2/token"),
            body: Array(form.utf8))
        return try JSONValue(parsing: answer.body)
    }

    private func connect(_ query: String) async throws -> String {
        let answer = try await org.respond(
            to: HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/setup/connect?\(query)"))
        return "\(answer.status) \(String(decoding: answer.body, as: UTF8.self))"
    }

    private func poll(_ code: JSONValue?, after seconds: Int64 = 5) async throws -> JSONValue {
        clock.advance(by: .seconds(seconds))
        return try await post("grant_type=device&client_id=emu-client&code=\(code?.stringValue ?? "")")
    }

    private func start() async throws -> (code: JSONValue?, user: String) {
        let codes = try await post("response_type=device_code&client_id=emu-client")
        #expect(codes.interval == 5)
        #expect(codes.verification_uri?.stringValue?.hasSuffix("/setup/connect") == true)
        return (codes.device_code, codes.user_code?.stringValue ?? "")
    }

    @Test func `The tokens are issued once the user agrees`() async throws {
        let (code, user) = try await start()
        #expect(try await poll(code).error == "authorization_pending")
        #expect(try await poll(code, after: 4).error == "slow_down")
        #expect(try await connect("user_code=\(user.lowercased())").hasPrefix("200 Access was allowed for"))
        #expect(try await connect("user_code=\(user)") == "400 This code is not known, or was already used.\n")
        let tokens = try await poll(code)
        #expect(tokens.access_token != nil && tokens.refresh_token != nil)
        #expect(try await poll(code).error == "invalid_grant")
    }

    @Test func `A refusal and the end of the time are reported`() async throws {
        let (code, user) = try await start()
        #expect(try await connect("user_code=\(user)&deny=true") == "200 Access was denied.\n")
        #expect(try await poll(code).error == "access_denied")
        let (late, other) = try await start()
        clock.advance(by: .seconds(600))
        #expect(try await connect("user_code=\(other)") == "400 This code is not known, or was already used.\n")
        #expect(try await poll(late).error == "invalid_grant")
        #expect(try await connect("user_code=x&login_hint=stranger") == "400 login_hint names no user of this org.\n")
        #expect(try await post("response_type=device_code&client_id=other").error == "invalid_client_id")
    }
}
