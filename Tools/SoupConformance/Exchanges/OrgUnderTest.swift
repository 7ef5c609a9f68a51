// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import SoupCore

/// The local org for cases with requests: an org in this process, or an org that is served over HTTP.
///
/// The org must have its administration API enabled. Each case resets it to the seed `tiny`, so all its data is lost.
///
/// ```swift
/// let org = try LocalOrg(options: options)       // with options.admin = true
/// let runner = ConformanceRunner(registry: .standard, org: OrgUnderTest(transport: org.transport))
/// ```
public struct OrgUnderTest: Sendable {
    private let transport: any HTTPTransport
    private let scheme: String?
    private let authority: String?

    /// Creates an org that a transport reaches without a URL.
    ///
    /// - Parameter transport: must not add a token, because some cases send requests without one.
    public init(transport: any HTTPTransport) {
        self.transport = transport
        scheme = nil
        authority = nil
    }

    /// Creates an org at a URL, such as `http://127.0.0.1:8080`.
    ///
    /// - Parameter transport: must send requests with a scheme and an authority.
    /// - Throws: ``SoupError`` with `badConfiguration` if the text is not the URL of a server.
    public init(url: String, transport: any HTTPTransport) throws {
        let parts = Array(url.utf8)
        let separator = Array("://".utf8)
        guard let colon = parts.firstIndex(of: UInt8(ascii: ":")), parts[colon...].starts(with: separator) else {
            throw SoupError(
                .badConfiguration, "\"\(URLText.masked(url))\" is not the URL of an org",
                hint: "Give a URL such as http://127.0.0.1:8080.")
        }
        let rest = parts[(colon + separator.count)...]
        let host = rest.prefix { $0 != UInt8(ascii: "/") }
        guard !host.isEmpty, rest.dropFirst(host.count).allSatisfy({ $0 == UInt8(ascii: "/") }) else {
            throw SoupError(
                .badConfiguration, "\"\(URLText.masked(url))\" is not the URL of an org",
                hint: "Give scheme, host and port, without a path.")
        }
        self.transport = transport
        scheme = String(decoding: parts[..<colon], as: UTF8.self)
        authority = String(decoding: host, as: UTF8.self)
    }

    /// Sends a request.
    ///
    /// - Parameter path: the percent-encoded path with the query.
    func send(_ method: String, _ path: String, headers: HTTPFields = [:], body: [UInt8]? = nil) async throws
        -> HTTPAnswer
    {
        guard let method = HTTPRequest.Method(method) else {
            throw SoupError(.badConfiguration, "\"\(method)\" is not an HTTP method")
        }
        return try await transport.send(
            HTTPRequest(method: method, scheme: scheme, authority: authority, path: path, headerFields: headers),
            body: body)
    }

    /// Sends a request to the org's administration API.
    ///
    /// - Throws: ``SoupError`` with `server` if the API is not enabled, or if it refuses the request.
    @discardableResult
    func administer(_ method: String, _ path: String, body: JSONValue? = nil) async throws -> JSONValue {
        var headers = HTTPFields()
        if body != nil { headers[.contentType] = "application/json" }
        let answer = try await send(
            method, path, headers: headers, body: try body.map { Array(try JSONText($0).bytes) })
        guard answer.isSuccess else {
            let isClosed = answer.status == 404 || answer.status == 401
            throw SoupError(
                .server,
                "the org responds with \(answer.status) to \(method) \(path): "
                    + String(decoding: answer.body.prefix(300), as: UTF8.self),
                hint: isClosed ? "Serve the org with --admin." : nil)
        }
        return (try? JSONValue(parsing: answer.body)) ?? .null
    }
}
