// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import SoupSalesforce
import SoupCore
import SoupTesting
import Synchronization
import Testing

@Suite struct SessionTransportTests {
    @Test func `Requests are sent to the instance with the token`() async throws {
        let base = ScriptedTransport([.answer(to: "GET https://one.example.com/services/data", "[]")])
        _ = try await session(base).send(get("/services/data"), body: nil)
        let headers = base.requests[0].request.headerFields
        #expect(headers[.authorization] == "Bearer t1")
        #expect(headers[.userAgent]?.contains("MobileSync") == true)
        #expect(base.violations == [])
    }

    @Test(arguments: [
        ("https", "one.example.com", true), ("https", "ONE.example.com:443", true), ("http", "one.example.com", false),
        ("https", "one.example.com:8443", false), ("https", "one.example.com.evil.com", false),
        ("https", "evil.com", false),
    ])
    func `Only the instance receives the token`(scheme: String, authority: String, receivesToken: Bool) async throws {
        let base = ScriptedTransport { _ in HTTPAnswer("[]") }
        let request = HTTPRequest(method: .get, scheme: scheme, authority: authority, path: "/x")
        _ = try await session(base).send(request, body: nil)
        #expect((base.requests[0].request.headerFields[.authorization] != nil) == receivesToken)
    }

    @Test func `A 401 of another server does not renew the session`() async throws {
        let base = ScriptedTransport([.answer(status: 401, "no")])
        let request = HTTPRequest(method: .get, scheme: "https", authority: "other.example.com", path: "/x")
        let answer = try await session(base, .renewable).send(request, body: nil)
        #expect(answer.status == 401)
        #expect(base.requests.count == 1)
    }

    @Test func `An expired token is renewed and the request sent again`() async throws {
        let base = ScriptedTransport([
            .answer(to: "POST https://one.example.com/a x", status: 401, expired),
            .answer(
                to: renewal, #"{"access_token":"t2","instance_url":"https://two.example.com","refresh_token":"r2"}"#),
            .answer(to: "POST https://two.example.com/a x", "{}"),
            .answer(to: "GET https://two.example.com/b", "{}"),
        ])
        let session = session(base, .renewable)
        _ = try await session.send(post("/a"), body: Array("x".utf8))
        _ = try await session.send(get("/b"), body: nil)
        #expect(base.violations == [])
        #expect(
            base.requests.map { $0.request.headerFields[.authorization] } == [
                "Bearer t1", nil, "Bearer t2", "Bearer t2",
            ])
        #expect(await session.credentials.refreshToken == "r2")
    }

    /// The present server, the server in the response to the renewal, and whether it is used.
    @Test(arguments: [
        ("https://one.example.com", "https://moved.example.com", true),
        ("https://one.example.com", "http://moved.example.com", false),
        ("https://one.example.com", "http://one.example.com", false),
        ("https://one.example.com", "http://127.0.0.1:8080", false), ("https://one.example.com", "ftp://x", false),
        ("http://org.test:1", "http://org.test:2", true), ("http://org.test:1", "http://other.test:1", false),
        ("http://127.0.0.1:1", "http://localhost:2", true), ("http://127.0.0.1:1", "http://127.0.0.1.x.com", false),
        ("http://[::1]:1", "http://[::1]:2", true),
    ])
    func `A renewal moves the session only to a safe server`(old: String, new: String, isUsed: Bool) async throws {
        var credentials = SalesforceCredentials.renewable
        credentials.instanceURL = old
        let base = ScriptedTransport([
            .answer(to: "GET \(old)/a", status: 401, expired),
            .answer(#"{"access_token":"t2","instance_url":"\#(new)"}"#),
            .answer(to: "GET \(isUsed ? new : old)/a", "{}"),
        ])
        _ = try await session(base, credentials).send(get("/a"), body: nil)
        #expect(base.violations == [])
    }

    @Test func `A missing token is fetched before the first request`() async throws {
        let credentials = SalesforceCredentials(
            instanceURL: "https://one.example.com", clientId: "c 1", username: "u@x.org", password: "p&q",
            loginURL: "https://login.example.com/")
        let base = ScriptedTransport([
            .answer(
                to: "POST https://login.example.com/services/oauth2/token "
                    + "grant_type=password&client_id=c%201&username=u%40x.org&password=p%26q",
                #"{"access_token":"t1","instance_url":"https://one.example.com"}"#),
            .answer(to: "GET https://one.example.com/a", "{}"),
        ])
        _ = try await session(base, credentials).send(get("/a"), body: nil)
        #expect(base.violations == [])
    }

    @Test func `A client ID and secret fetch a token`() async throws {
        let credentials = SalesforceCredentials(
            instanceURL: "https://one.example.com", clientId: "c1", clientSecret: "s1")
        let base = ScriptedTransport([
            .answer(
                to: "POST https://one.example.com/services/oauth2/token "
                    + "grant_type=client_credentials&client_id=c1&client_secret=s1", #"{"access_token":"t1"}"#),
            .answer(to: "GET https://one.example.com/a", "{}"),
        ])
        _ = try await session(base, credentials).send(get("/a"), body: nil)
        #expect(base.violations == [])
    }

    @Test func `Concurrent requests share one renewal`() async throws {
        let base = ScriptedTransport { request in
            if request.pathWithoutQuery.hasSuffix("/token") {
                await Task.yield()
                return HTTPAnswer(#"{"access_token":"t2"}"#)
            }
            let isFresh = request.request.headerFields[.authorization] == "Bearer t2"
            return isFresh ? HTTPAnswer("{}") : HTTPAnswer(status: 401, expired)
        }
        let session = session(base, .renewable)
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<20 {
                group.addTask { try await session.send(get("/\(number)"), body: nil).status }
            }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: 200, count: 20))
        #expect(base.requests.count { $0.pathWithoutQuery.hasSuffix("/token") } == 1)
    }

    /// A gateway may respond with 401 after the API has created the record.
    @Test(arguments: ["", "<html>", #"{"error":"unauthorized"}"#])
    func `Only the API's own 401 makes a creation be sent again`(body: String) async throws {
        let base = ScriptedTransport([.answer(status: 401, body)])
        #expect(try await session(base, .renewable).send(post("/a"), body: nil).status == 401)
        #expect(base.requests.count == 1)
        let later = ScriptedTransport([
            .answer(status: 401, expired), .answer(to: renewal, #"{"access_token":"t2"}"#), .answer(status: 401, body),
        ])
        #expect(try await session(later, .renewable).send(post("/a"), body: nil).status == 401)
        #expect(later.violations == [])
        for method in [HTTPRequest.Method.get, .patch, .put, .delete] {
            let base = ScriptedTransport([
                .answer(status: 401, body), .answer(to: renewal, #"{"access_token":"t2"}"#), .answer(status: 204),
            ])
            let request = HTTPRequest(method: method, scheme: nil, authority: nil, path: "/a")
            #expect(try await session(base, .renewable).send(request, body: nil).status == 204)
        }
    }

    @Test func `A refused grant ends the session`() async throws {
        let base = ScriptedTransport([
            .answer(status: 401, expired),
            .answer(status: 400, #"{"error":"invalid_grant","error_description":"expired access/refresh token"}"#),
        ])
        let error = await #expect(throws: SoupError.self) {
            try await session(base, .renewable).send(get("/a"), body: nil)
        }
        #expect(error?.code == .sessionExpired)
        #expect(error?.description == "the session has expired: expired access/refresh token. Log in again.")
    }

    @Test(arguments: [
        (503, "", SoupError.Code.server), (429, "{}", .server), (200, "<html>", .server),
        (400, #"{"error":"invalid_client","error_description":"invalid client credentials"}"#, .server),
    ])
    func `An unavailable token endpoint does not end the session`(status: Int, body: String, code: SoupError.Code)
        async throws
    {
        let base = ScriptedTransport([.answer(status: 401, expired), .answer(status: status, body)])
        let error = await #expect(throws: SoupError.self) {
            try await session(base, .renewable).send(get("/a"), body: nil)
        }
        #expect(error?.code == code)
    }

    /// The server has not received the creation, regardless of the outcome of the token request.
    @Test func `A broken token request leaves the creation not sent`() async throws {
        var untried = SalesforceCredentials.renewable
        untried.accessToken = nil
        let cases: [(SalesforceCredentials, [ScriptedTransport.Step], NetworkFailure.Delivery)] = [
            (untried, [.fail(.unknown)], .notSent),
            (.renewable, [.answer(status: 401, expired), .fail(.unknown)], .notSent),
        ]
        for (credentials, steps, delivery) in cases {
            let base = ScriptedTransport(steps)
            let error = await #expect(throws: SoupError.self) {
                try await session(base, credentials).send(post("/a"), body: nil)
            }
            #expect(error?.code == .network)
            #expect(error?.delivery == delivery)
            #expect(base.violations == [])
        }
        // A gateway may respond with 401 after the API has carried out an update.
        let base = ScriptedTransport([.answer(status: 401, "<html>"), .fail(.unknown)])
        let patch = HTTPRequest(method: .patch, scheme: nil, authority: nil, path: "/a")
        let error = await #expect(throws: SoupError.self) {
            try await session(base, .renewable).send(patch, body: nil)
        }
        #expect(error?.delivery == .unknown)
    }

    @Test func `A stream is renewed and retried like a response`() async throws {
        let base = ScriptedTransport([
            .answer(status: 401, expired), .answer(to: renewal, #"{"access_token":"t2"}"#),
            .answer(status: 503, "later"), .answer("[1,2]"), .answer(status: 404, "[]"),
        ])
        let transport = session(base, .renewable)
        let found = try await transport.stream(get("/a"), body: nil)
        #expect(found.isSuccess)
        #expect(try await found.answer().body == Array("[1,2]".utf8))
        let missing = try await transport.stream(get("/b"), body: nil)
        #expect(try await missing.answer().status == 404)
        #expect(base.violations == [])
        #expect(
            base.requests.map { $0.request.headerFields[.authorization] } == [
                "Bearer t1", nil, "Bearer t2", "Bearer t2", "Bearer t2",
            ])
    }

    /// An error in the middle of a body contains no token.
    @Test func `Errors of a stream contain no token`() async throws {
        struct Broken: HTTPTransport {
            func send(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswer { HTTPAnswer("") }

            func stream(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswerStream {
                HTTPAnswerStream(
                    HTTPResponse(status: .ok),
                    body: HTTPAnswerBody { throw SoupError.network(.unknown, "lost with secret-token-1") })
            }
        }
        let credentials = SalesforceCredentials(
            instanceURL: "https://one.example.com", accessToken: "secret-token-1")
        let stream = try await session(Broken(), credentials).stream(get("/a"), body: nil)
        let error = await #expect(throws: SoupError.self) { try await stream.answer() }
        #expect(error?.delivery == .unknown)
        #expect(error?.message.contains("secret-token-1") == false)
    }

    @Test func `The beginning of each response is passed on`() async throws {
        let base = ScriptedTransport([
            .answer(status: 401, expired), .answer(#"{"access_token":"t2"}"#), .answer(status: 503, "later"),
            .answer("{}"),
        ])
        let shown = Mutex<[String]>([])
        _ = try await session(base, .renewable).send(get("/a"), body: nil) { answer in
            shown.withLock { $0.append("\(answer.status) \(String(decoding: answer.body, as: UTF8.self))") }
        }
        #expect(shown.withLock { $0 } == ["401 \(expired)", "503 later", "200 {}"])
    }

    @Test func `A renewed token that is refused ends the session`() async throws {
        let base = ScriptedTransport([
            .answer(status: 401, expired), .answer(#"{"access_token":"t2"}"#), .answer(status: 401, expired),
        ])
        let error = await #expect(throws: SoupError.self) {
            try await session(base, .renewable).send(get("/a"), body: nil)
        }
        #expect(error?.code == .sessionExpired)
        #expect(base.violations == [])
    }

    @Test func `A session without credentials to renew it expires`() async throws {
        let base = ScriptedTransport([.answer(status: 401, expired)])
        let error = await #expect(throws: SoupError.self) { try await session(base).send(get("/a"), body: nil) }
        #expect(error?.code == .sessionExpired)
    }

    @Test func `A cancelled request does not cancel the renewal`() async throws {
        let (reached, released) = (Promise<Void>(), Promise<Void>())
        let base = ScriptedTransport { request in
            if request.pathWithoutQuery.hasSuffix("/token") {
                reached.resolve(())
                await released.waitUncancelled()
                return HTTPAnswer(#"{"access_token":"t2"}"#)
            }
            return request.request.headerFields[.authorization] == "Bearer t2"
                ? HTTPAnswer("{}") : HTTPAnswer(status: 401, expired)
        }
        let session = session(base, .renewable)
        let first = Task { try await session.send(get("/a"), body: nil) }
        await reached.waitUncancelled()
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        released.resolve(())
        #expect(try await session.send(get("/b"), body: nil).status == 200)
        #expect(base.requests.count { $0.pathWithoutQuery.hasSuffix("/token") } == 1)
    }

    @Test func `An ordinary 403 does not renew the session`() async throws {
        let body = #"[{"message":"TotalRequests Limit exceeded.","errorCode":"REQUEST_LIMIT_EXCEEDED"}]"#
        let base = ScriptedTransport([.answer(status: 403, body)])
        #expect(try await session(base, .renewable).send(get("/a"), body: nil).status == 403)
        #expect(base.requests.count == 1)
    }

    @Test func `A bad token at an OAuth resource is renewed`() async throws {
        let base = ScriptedTransport([
            .answer(status: 403, "Bad_OAuth_Token"), .answer(to: renewal, #"{"access_token":"t2"}"#), .answer("{}"),
        ])
        #expect(try await session(base, .renewable).send(get("/userinfo"), body: nil).status == 200)
        #expect(base.violations == [])
    }
}
