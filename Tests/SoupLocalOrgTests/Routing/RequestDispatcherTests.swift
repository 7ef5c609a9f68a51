// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupLocalOrg
import SoupCore
import Testing

/// Requests that are rejected before they reach a resource, and tolerated deviations.
@Suite struct RequestDispatcherTests {
    private let client: OrgClient

    init() throws { client = try OrgClient() }

    private func status(_ method: HTTPRequest.Method, _ path: String, headers: HTTPFields = [:]) async throws -> Int {
        try await client.send(method, path, headers: headers).status
    }

    @Test func `Versions are supported, retired or unknown`() async throws {
        for (version, expected) in [
            ("v60.0", 200), ("v42.0", 200), ("v66.0", 200), ("v67.0", 404), ("v41.0", 404), ("v31.0", 404),
            ("v30.0", 410), ("v7.0", 410), ("v6.0", 404), ("v60", 404), ("60.0", 404), ("v60.0.0", 404), ("v", 404),
        ] {
            #expect(try await status(.get, "/services/data/\(version)") == expected, "\(version)")
        }
        let root = try await client.json(.get, "/services/data/v45.0/")
        #expect(root.query == "/services/data/v45.0/query")
        let versions = try await client.json(.get, "/services/data/")
        #expect(versions[versions.arrayValue?.count ?? 0]?.version == nil)
        #expect(
            versions.arrayValue?.last == ["label": "Spring '26", "url": "/services/data/v66.0", "version": "66.0"])
        let labels = try #require(versions.arrayValue).reversed().prefix(4).map { $0["label"] }
        #expect(labels == ["Spring '26", "Winter '26", "Summer '25", "Spring '25"])
        #expect(versions[0]?["label"] == "Spring '18")
    }

    @Test func `Long addresses and headers are refused`() async throws {
        let long = String(repeating: "x", count: 16_000)
        #expect(try await status(.get, "limits?a=\(long)") == 200)
        #expect(try await status(.get, "limits?a=\(long)\(String(repeating: "y", count: 500))") == 414)
        #expect(
            try await status(.get, "limits?a=\(long)", headers: [.accept: String(repeating: "y", count: 500)]) == 431)
    }

    /// The verbs of a resource, and its `Allow` header.
    @Test(arguments: [
        ("composite/sobjects", "POST,PATCH,DELETE"), ("composite/sobjects/Account", "GET,POST"),
        ("composite/sobjects/Account/Id", "PATCH"), ("composite", "POST"), ("composite/batch", "POST"),
        ("composite/tree/Account", "POST"), ("composite/graph", "POST"), ("limits", "GET"), ("query", "GET"),
    ])
    func `Every other verb is rejected`(_ path: String, _ verbs: String) async throws {
        let before = try client.org.state(of: "Account")
        for method in [HTTPRequest.Method.get, .post, .patch, .delete, .put] {
            let answer = try await client.send(method, path, body: method == .get ? nil : ["records": []])
            let isThere = verbs.split(separator: ",").contains(Substring(method.rawValue))
            #expect((answer.status == 405) == !isThere, "\(method) \(path): \(answer.status)")
            #expect(isThere || answer.response.headerFields[.allow] == verbs)
            #expect(answer.status != 204)
        }
        #expect(try client.org.state(of: "Account") == before)
    }

    @Test(arguments: ["nan", "inf", "1e400", "-1.0", "60", "060.0", "60.00", "", "9223372036854775808.0"])
    func `Invalid versions of Bulk API 1.0 are rejected`(_ version: String) async throws {
        let answer = try await client.org.authorizedTransport.send(
            HTTPRequest(
                method: .get, scheme: nil, authority: nil, path: "/services/async/\(version)/job/750000000000001AAA"),
            body: nil)
        #expect((400..<500).contains(answer.status))
    }

    @Test func `Calls are counted by the day`() async throws {
        var options = OrgOptions()
        options.dailyLimit = 2
        let client = try OrgClient(options: options)
        func status() async throws -> Int { try await client.send(.get, "limits").status }
        #expect(try await [status(), status(), status()] == [200, 200, 403])
        client.org.advanceClock(by: .milliseconds(86_400_000))
        #expect(try await [status(), status(), status()] == [200, 200, 403])
        try client.org.reset()
        #expect(try await status() == 200)
    }

    @Test func `Subrequests need a known version`() async throws {
        let answer = try await client.json(
            .post, "composite",
            body: [
                "compositeRequest": [
                    [
                        "method": "POST", "url": "/services/data/v99.0/composite/sobjects", "referenceId": "a",
                        "body": ["records": [["attributes": ["type": "Account"], "Name": "x"]]],
                    ]
                ]
            ])
        #expect(answer.compositeResponse?[0]?.httpStatusCode == 404)
    }

    @Test func `HEAD is rejected for collections`() async throws {
        let path = "composite/sobjects/Account?ids=\(client.org.id(of: "acc1") ?? "")&fields=Name"
        #expect(try await client.send(.get, path).status == 200)
        let refused = try await client.send(.head, path)
        #expect(refused.status == 405)
        #expect(refused.response.headerFields[.allow] == "GET,POST")
    }

    @Test func `Unknown verbs and forms are rejected`() async throws {
        let refused = try await client.send(.put, "sobjects/Account/\(client.org.id(of: "acc1") ?? "")")
        #expect(refused.status == 405)
        #expect(
            String(decoding: refused.body, as: UTF8.self)
                == #"[{"message":"HTTP Method 'PUT' not allowed. Allowed are HEAD,GET,PATCH,DELETE","#
                + #""errorCode":"METHOD_NOT_ALLOWED"}]"#)
        #expect(refused.response.headerFields[.allow] == "HEAD,GET,PATCH,DELETE")
        for (method, path) in [
            (HTTPRequest.Method.post, "limits"), (.delete, "query?q=x"), (.patch, "sobjects"),
            (.get, "/services/oauth2/token"),
            (.put, "/services/data"), (.get, "/services/Soap/u/59.0"), (.delete, "sobjects/Account/describe"),
        ] {
            #expect(try await status(method, path) == 405, "\(method) \(path)")
        }
        let xml = try await client.org.authorizedTransport.send(
            HTTPRequest(
                method: .post, scheme: nil, authority: nil, path: "/services/data/v60.0/sobjects/Account",
                headerFields: [.contentType: "application/xml"]), body: Array("<a/>".utf8))
        #expect(xml.status == 415)
    }

    @Test func `A POST may name another verb`() async throws {
        let id = try #require(client.org.id(of: "acc3"))
        #expect(
            try await client.send(.post, "sobjects/Account/\(id)?_HttpMethod=patch", body: ["Rating": "Cold"]).status
                == 204)
        #expect(try await client.json(.get, "sobjects/Account/\(id)?fields=Rating").Rating == "Cold")
        #expect(try await client.send(.post, "sobjects/Account/\(id)?_HttpMethod=DELETE").status == 204)
        #expect(try await client.send(.get, "sobjects/Account/\(id)").status == 404)
        #expect(try await client.send(.get, "sobjects/Account?_HttpMethod=DELETE").status == 200)
    }

    @Test func `Calls are counted in API responses`() async throws {
        func usage(_ path: String, token: Bool = true) async throws -> String? {
            let transport = token ? client.org.authorizedTransport : client.org.transport
            let answer = try await transport.send(
                HTTPRequest(method: .get, scheme: nil, authority: nil, path: path), body: nil)
            return HTTPField.Name("Sforce-Limit-Info").flatMap { answer.response.headerFields[$0] }
        }
        #expect(try await usage("/services/data/v60.0/limits") == "api-usage=1/100000")
        #expect(try await usage("/services/data/v60.0/nothing") == "api-usage=2/100000")
        #expect(try await usage("/services/data") == nil)
        #expect(try await usage("/services/oauth2/userinfo") == nil)
        #expect(try await usage("/services/data/v60.0/limits", token: false) == nil)
        client.org.setOptions { $0.dailyLimit = 3 }
        #expect(try await usage("/services/data/v60.0/limits") == "api-usage=3/3")
        #expect(try await client.code(client.json(.get, "limits")) == "REQUEST_LIMIT_EXCEEDED")
        #expect(try await status(.get, "limits") == 403)
    }

    @Test func `Clients that accept only XML get 406`() async throws {
        let client = try OrgClient()
        for (accept, status) in [
            ("application/xml", 406), ("text/xml;q=1, application/xml", 406), ("application/xml, */*", 200),
            ("application/json", 200),
        ] {
            let answer = try await client.send(.get, "limits", headers: [.accept: accept])
            #expect(answer.status == status, "\(accept)")
        }
    }

    @Test func `A refused token names the scheme`() async throws {
        let org = try LocalOrg(seed: .tiny)
        let answer = try await org.transport.send(
            HTTPRequest(
                method: .get, scheme: nil, authority: nil, path: "/services/data/v60.0/limits",
                headerFields: [.authorization: "Bearer unknown"]), body: nil)
        #expect(answer.status == 401 && answer.response.headerFields[.wwwAuthenticate] == "Token")
    }
}
