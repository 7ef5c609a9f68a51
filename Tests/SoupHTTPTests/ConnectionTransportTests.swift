// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import SoupCore
import SoupHTTP
import SoupTesting
import Testing

@Suite struct ConnectionTransportTests {
    private static let url = "https://crm.example.com/api"
    private static let grant = OAuthGrant(
        tokenURL: "https://login.example.com/token?tenant=1", clientId: "client", clientSecret: "very secret")

    private func connection(
        _ auth: ConnectionAuth?, over base: ScriptedTransport, headers: [String: String] = [:],
        clock: ManualClock = .advancing(), renewed: @escaping @Sendable (OAuthGrant) async -> Void = { _ in }
    ) throws -> ConnectionTransport {
        try ConnectionTransport(
            over: base, to: ServerConnection(baseURL: Self.url, auth: auth, headers: headers), clock: clock,
            random: { 1 }, renewed: renewed)
    }

    private func request(_ method: HTTPRequest.Method = .get, _ path: String = "/a?b=c") -> HTTPRequest {
        HTTPRequest(method: method, scheme: nil, authority: nil, path: path)
    }

    /// A gateway with another authorization may have forwarded a request that writes.
    @Test(arguments: [
        (ConnectionAuth.headerKey(name: "X-API-Key", value: "k"), "Basic realm=x", false),
        (.headerKey(name: "X-API-Key", value: "k"), "ApiKey", true),
        (.basic(username: "u", password: "p"), "Basic realm=x", true),
        (.basic(username: "u", password: "p"), "Bearer", false), (.bearer(token: "t"), "bearer", true),
        (.bearer(token: "t"), "Basic realm=x", false),
    ])
    func `A write is refused by the server's own challenge`(
        auth: ConnectionAuth, challenge: String, isRefused: Bool
    ) async throws {
        let base = ScriptedTransport { _ in
            HTTPAnswer(status: 401, "<html></html>", headers: [.wwwAuthenticate: challenge])
        }
        let transport = try connection(auth, over: base)
        let answer = try? await transport.send(request(.post), body: [])
        #expect((answer == nil) == isRefused)
        // A request that reads can be refused by any response.
        await #expect(throws: SoupError.self) { try await transport.send(request(), body: nil) }
    }

    @Test(
        arguments: [
            (.bearer(token: "token"), "Bearer token", nil, "/a?b=c"),
            (
                .basic(username: "Aladdin", password: "open sesame"), "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==", nil,
                "/a?b=c"
            ),
            (.headerKey(name: "X-Key", value: "k1"), nil, "k1", "/a?b=c"),
            (.queryKey(name: "api key", value: "a&b"), nil, nil, "/a?b=c&api%20key=a%26b"),
            (.queryKey(name: "b", value: "key"), nil, nil, "/a?b=key"),
            (nil, nil, nil, "/a?b=c"),
        ] as [(ConnectionAuth?, String?, String?, String)])
    func `Requests are authorized`(auth: ConnectionAuth?, field: String?, key: String?, path: String) async throws {
        let base = ScriptedTransport { _ in HTTPAnswer(status: 200, "{}") }
        _ = try await connection(auth, over: base, headers: ["Accept": "text/json"]).send(request(), body: nil)
        let sent = try #require(base.requests.first?.request)
        #expect([sent.scheme, sent.authority, sent.path] == ["https", "crm.example.com", path])
        #expect(sent.headerFields[.authorization] == field)
        #expect(sent.headerFields[try #require(HTTPField.Name("X-Key"))] == key)
        #expect(sent.headerFields[.accept] == "text/json")
    }

    @Test func `Another server gets neither secrets nor headers`() async throws {
        let base = ScriptedTransport { _ in HTTPAnswer(status: 200, "{}") }
        for auth in [
            ConnectionAuth.bearer(token: "token"), .queryKey(name: "k", value: "value"),
            .headerKey(name: "X-Key", value: "value"), .oauth(Self.grant),
        ] {
            let transport = try connection(auth, over: base, headers: ["X-Own": "1"])
            for authority in ["other.example.com", "crm.example.com:444", "crm.example.com.evil.example"] {
                let request = HTTPRequest(method: .get, scheme: "https", authority: authority, path: "/x")
                _ = try await transport.send(request, body: nil)
            }
            let plain = HTTPRequest(method: .get, scheme: "http", authority: "crm.example.com", path: "/x")
            _ = try await transport.send(plain, body: nil)
        }
        #expect(base.requests.count == 16)
        #expect(base.requests.allSatisfy { $0.request.headerFields.isEmpty && $0.request.path == "/x" })
        // The full URL of the connection's own server is authorized.
        let own = HTTPRequest(method: .get, scheme: "https", authority: "CRM.example.com:443", path: "/api/next")
        _ = try await connection(.bearer(token: "token"), over: base).send(own, body: nil)
        #expect(base.requests.last?.request.headerFields[.authorization] == "Bearer token")
        #expect(base.requests.last?.request.path == "/api/next")
    }

    @Test func `Rejected fixed credentials end the session`() async throws {
        let base = ScriptedTransport { _ in HTTPAnswer(status: 401, "no: token-1") }
        let transport = try connection(.bearer(token: "token-1"), over: base)
        for method in [HTTPRequest.Method.get, .put, .patch, .delete] {
            let error = await #expect(throws: SoupError.self) {
                try await transport.send(request(method), body: nil)
            }
            #expect(error?.code == .sessionExpired)
        }
        // A gateway can answer a creation with 401 after the server has carried it out.
        #expect(try await transport.send(request(.post), body: nil).status == 401)
        #expect(base.requests.count == 5)
    }

    @Test func `An access token is fetched once and renewed once`() async throws {
        let server = TokenServer()
        let base = ScriptedTransport { try await server.answer($0) }
        let transport = try connection(.oauth(Self.grant), over: base)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<10 { group.addTask { try await transport.send(self.request(), body: nil).status } }
            for try await status in group { #expect(status == 200) }
        }
        #expect(await server.issued == 1)
        await server.revoke()
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<10 { group.addTask { try await transport.send(self.request(), body: nil).status } }
            for try await status in group { #expect(status == 200) }
        }
        #expect(await server.issued == 2)
        let form = try #require(base.requests.first { $0.request.authority == "login.example.com" })
        #expect(form.request.path == "/token?tenant=1")
        #expect(
            String(decoding: form.body ?? [], as: UTF8.self)
                == "grant_type=client_credentials&client_id=client&client_secret=very%20secret")
    }

    @Test func `A creation is sent again only if the server itself refuses`() async throws {
        for isOwn in [true, false] {
            let server = TokenServer(namesScheme: isOwn)
            let base = ScriptedTransport { try await server.answer($0) }
            let transport = try connection(.oauth(Self.grant), over: base)
            _ = try await transport.send(request(), body: nil)
            await server.revoke()
            #expect(try await transport.send(request(.post), body: [1]).status == (isOwn ? 200 : 401))
            #expect(
                base.requests.filter { $0.request.method == .post && $0.request.path == "/a?b=c" }.count
                    == (isOwn ? 2 : 1))
        }
    }

    @Test func `A token that expires soon is renewed before it is used`() async throws {
        let server = TokenServer(lifetime: 100)
        let base = ScriptedTransport { try await server.answer($0) }
        let clock = ManualClock.advancing()
        let transport = try connection(.oauth(Self.grant), over: base, clock: clock)
        _ = try await transport.send(request(), body: nil)
        clock.advance(by: .seconds(69))
        _ = try await transport.send(request(), body: nil)
        #expect(await server.issued == 1)
        clock.advance(by: .seconds(2))
        _ = try await transport.send(request(), body: nil)
        #expect(await server.issued == 2)
        #expect(base.requests.filter { $0.request.authority == "crm.example.com" }.count == 3)
    }

    @Test func `A replaced refresh token is reported and used`() async throws {
        let server = TokenServer(rotates: true)
        let base = ScriptedTransport { try await server.answer($0) }
        var grant = Self.grant
        grant.refreshToken = "refresh 0"
        (grant.usesBasic, grant.scope, grant.parameters) = (true, "read write", ["audience": "crm"])
        let reported = AsyncStream<String>.makeStream()
        let transport = try connection(
            .oauth(grant), over: base, renewed: { reported.continuation.yield($0.refreshToken ?? "none") })
        _ = try await transport.send(request(), body: nil)
        await server.revoke()
        _ = try await transport.send(request(), body: nil)
        reported.continuation.finish()
        #expect(await reported.stream.reduce(into: []) { $0.append($1) } == ["refresh 1", "refresh 2"])
        let forms = base.requests.filter { $0.request.authority == "login.example.com" }
        #expect(
            forms.map { String(decoding: $0.body ?? [], as: UTF8.self) }
                == [0, 1].map {
                    "grant_type=refresh_token&refresh_token=refresh%20\($0)&scope=read%20write&audience=crm"
                })
        #expect(forms.allSatisfy { $0.request.headerFields[.authorization] == "Basic Y2xpZW50OnZlcnkgc2VjcmV0" })
    }

    @Test(arguments: [
        (400, #"{"error":"invalid_grant","error_description":"revoked"}"#, SoupError.Code.sessionExpired),
        (401, #"{"error":"invalid_client"}"#, .server), (500, "<html>", .server), (200, "{}", .server),
        (200, #"{"access_token":""}"#, .server), (302, "", .server),
    ])
    func `A refused token is an error`(status: Int, body: String, code: SoupError.Code) async throws {
        let base = ScriptedTransport { _ in HTTPAnswer(status: status, body) }
        let transport = try connection(.oauth(Self.grant), over: base)
        let error = await #expect(throws: SoupError.self) { try await transport.send(request(), body: nil) }
        #expect(error?.code == code)
        #expect(base.requests.allSatisfy { $0.request.authority == "login.example.com" })
    }

    @Test func `Without a token the request certainly was not sent`() async throws {
        let base = ScriptedTransport { _ in throw SoupError.network(.unknown, "reset") }
        let transport = try connection(.oauth(Self.grant), over: base)
        let error = await #expect(throws: SoupError.self) { try await transport.send(request(.post), body: nil) }
        #expect(error?.delivery == .notSent)
    }

    @Test(arguments: [
        (HTTPRequest.Method.get, 503, "", 4), (.get, 502, "", 4), (.get, 500, "", 1), (.put, 503, "", 1),
        (.put, 503, "1", 4), (.delete, 429, "1", 4), (.post, 503, "1", 1), (.post, 429, "1", 1),
    ])
    func `Only safe retries are made`(
        method: HTTPRequest.Method, status: Int, retryAfter: String, count: Int
    ) async throws {
        let base = ScriptedTransport { _ in
            HTTPAnswer(status: status, "", headers: retryAfter.isEmpty ? [:] : [.retryAfter: retryAfter])
        }
        _ = try await connection(nil, over: base).send(request(method), body: nil)
        #expect(base.requests.count == count)
    }

    @Test func `No error and no dump contains a secret`() async throws {
        let auths: [ConnectionAuth] = [
            .bearer(token: "s3cret-value"), .basic(username: "user", password: "s3cret-value"),
            .headerKey(name: "X-Key", value: "s3cret-value"), .queryKey(name: "k", value: "s3cret-value"),
            .oauth(OAuthGrant(tokenURL: "https://login.example.com/", clientId: "c", clientSecret: "s3cret-value")),
        ]
        let basic = Data("user:s3cret-value".utf8).base64EncodedString()
        for auth in auths {
            let base = ScriptedTransport { _ in throw SoupError(.network, "at ?k=s3cret-value with \(basic)") }
            let transport = try connection(auth, over: base)
            let error = await #expect(throws: SoupError.self) { try await transport.send(request(), body: nil) }
            #expect(error?.description.contains("s3cret-value") == false)
            if case .basic = auth { #expect(error?.description.contains(basic) == false) }
            var text = "\(auth) \(String(reflecting: auth))"
            dump(auth, to: &text)
            #expect(!text.contains("s3cret"))
        }
    }

    @Test func `A wrong connection is refused`() {
        for url in ["", "crm", "ftp://crm.example.com", "https://user@crm.example.com", "https://crm.example.com?x=1"] {
            let error = #expect(throws: SoupError.self) {
                try ConnectionTransport(over: ScriptedTransport([]), to: ServerConnection(baseURL: url))
            }
            #expect(error?.code == .badConfiguration)
        }
        #expect(throws: SoupError.self) {
            try ConnectionTransport(
                over: ScriptedTransport([]), to: ServerConnection(baseURL: Self.url, headers: ["a b": "c"]))
        }
    }
}

/// A service that accepts the last issued token, and its token endpoint.
private actor TokenServer {
    private(set) var issued = 0
    private var valid: String?
    private let namesScheme: Bool
    private let lifetime: Int?
    private let rotates: Bool

    init(namesScheme: Bool = false, lifetime: Int? = nil, rotates: Bool = false) {
        self.namesScheme = namesScheme
        self.lifetime = lifetime
        self.rotates = rotates
    }

    func revoke() { valid = nil }

    func answer(_ request: RecordedRequest) throws -> HTTPAnswer {
        guard request.request.authority == "login.example.com" else {
            let isValid = valid.map { request.request.headerFields[.authorization] == "Bearer \($0)" } ?? false
            if isValid { return HTTPAnswer(status: 200, "{}") }
            return HTTPAnswer(status: 401, "", headers: namesScheme ? [.wwwAuthenticate: "Bearer"] : [:])
        }
        issued += 1
        valid = "token \(issued)"
        var body: JSONObject = ["access_token": .string("token \(issued)"), "token_type": "Bearer"]
        body["expires_in"] = lifetime.map { .int(Int64($0)) }
        if rotates { body["refresh_token"] = .string("refresh \(issued)") }
        return HTTPAnswer(status: 200, "\(JSONValue.object(body))")
    }
}
