// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore
import Testing

@testable import CurlTransport

@Suite struct CurlRequestTests {
    private func request(
        _ method: HTTPRequest.Method = .get, _ path: String = "/", fields: HTTPFields = [:], body: [UInt8]? = nil
    ) throws -> CurlRequest {
        try CurlRequest(
            HTTPRequest(method: method, scheme: "https", authority: "a.example", path: path, headerFields: fields),
            body: body)
    }

    @Test func `Fields are written in the form of libcurl`() throws {
        var fields: HTTPFields = [.accept: "text/csv", .contentLength: "7", .transferEncoding: "chunked"]
        fields.append(HTTPField(name: .cookie, value: ""))
        let get = try request(.get, fields: fields)
        #expect(get.fields == ["Accept: text/csv", "Cookie;", "Accept-Encoding: gzip", "Expect:"])
        let post = try request(.post, fields: [.contentType: "a/b"], body: [1])
        #expect(post.fields == ["Content-Type: a/b", "Accept-Encoding: gzip", "Expect:"])
        #expect(try request(.post, body: [1]).fields == ["Accept-Encoding: gzip", "Content-Type:", "Expect:"])
        #expect(
            try request(.get, fields: [.acceptEncoding: "identity"]).fields == ["Accept-Encoding: identity", "Expect:"])
    }

    @Test func `Methods that write have a body`() throws {
        #expect(try request(.post).body == [])
        #expect(try request(.patch).body == [])
        #expect(try request(.delete).body == nil)
        #expect(try request(.get).body == nil)
        #expect(try request(.head, body: [1]).body == nil)
        #expect(try request(.delete, body: [1]).body == [1])
    }

    @Test(arguments: [
        ("/a?b=c", "/a?b=c"), ("/a b", "/a%20b"), ("/é\"", "/%C3%A9%22"), ("a", "/a"), ("/\r\nX: y", "/%20%20X:%20y"),
        ("/%2F/../x", "/%2F/../x"),
    ])
    func `Valid paths are sent unchanged`(path: String, sent: String) throws {
        #expect(try request(.get, path).url == "https://a.example" + sent)
    }

    @Test(arguments: [
        ("http", "user@a.example"), ("http", "user:secret@a.example"), ("ftp", "a.example"), ("http", "a b"),
        ("http", "a.example:99999"), ("http", "a.example/x?y@b"), ("file", ""),
    ])
    func `An invalid server is rejected`(scheme: String, authority: String) {
        let error = #expect(throws: SoupError.self) {
            try CurlRequest(HTTPRequest(method: .get, scheme: scheme, authority: authority, path: "/"), body: nil)
        }
        #expect(error?.code == .badConfiguration)
    }

    @Test(
        arguments: [
            (302, "/b", "https://a.example/b"), (301, "b?c", "https://a.example/x/b?c"),
            (307, "https://A.example:443/b", "https://A.example:443/b"), (308, "//a.example/b", "https://a.example/b"),
            (303, "?q", "https://a.example/x/y?q"), (302, "http://a.example/b", nil), (302, "https://b.example/", nil),
            (302, "https://a.example:444/", nil), (302, "https://u@a.example/", nil),
            (302, "https://a.example.b.example/", nil),
            (302, "https://a.example@b.example/", nil), (302, "file:///etc/passwd", nil), (302, nil, nil),
            (304, "/b", nil),
            (200, "/b", nil), (302, "https://a.example\\@b.example/", nil),
        ] as [(Int, String?, String?)])
    func `Only redirects to the same server are followed`(status: Int, location: String?, target: String?) throws {
        #expect(try request(.get, "/x/y").redirect(status, to: location) == target)
        #expect(try request(.head, "/x/y").redirect(status, to: location) == target)
        for method in [HTTPRequest.Method.post, .delete, .options, .patch] {
            #expect(try request(method, "/x/y").redirect(status, to: location) == nil)
        }
    }
}
