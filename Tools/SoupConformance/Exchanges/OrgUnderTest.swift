// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import SoupCore

/// The local org that cases about requests are played against: one in the process, or any that is served somewhere.
///
/// Its administration must be open, since each case starts from the seed `tiny`; so whatever the org held is gone.
///
/// ```swift
/// let org = try LocalOrg(options: options)       // with options.admin = true
/// let runner = ConformanceRunner(registry: .standard, org: OrgUnderTest(transport: org.transport))
/// ```
public struct OrgUnderTest: Sendable {
    private let transport: any HTTPTransport
    private let scheme: String?
    private let authority: String?

    /// An org behind a transport that knows the way.
    ///
    /// - Parameter transport: it must add no token of its own, since some cases are about requests without one.
    public init(transport: any HTTPTransport) {
        self.transport = transport
        scheme = nil
        authority = nil
    }

    /// An org behind a URL, such as `http://127.0.0.1:8080`.
    ///
    /// - Parameter transport: sends absolute requests.
    /// - Throws: ``SoupError`` with `badConfiguration` for a text that is no URL of a server.
    public init(url: String, transport: any HTTPTransport) throws {
        let parts = Array(url.utf8)
        let separator = Array("://".utf8)
        guard let colon = parts.firstIndex(of: UInt8(ascii: ":")), parts[colon...].starts(with: separator) else {
            throw SoupError(
                .badConfiguration, "\"\(url)\" is not the URL of an org", hint: "Write it like http://127.0.0.1:8080.")
        }
        let rest = parts[(colon + separator.count)...]
        let host = rest.prefix { $0 != UInt8(ascii: "/") }
        guard !host.isEmpty, rest.dropFirst(host.count).allSatisfy({ $0 == UInt8(ascii: "/") }) else {
            throw SoupError(
                .badConfiguration, "\"\(url)\" is not the URL of an org",
                hint: "Write scheme, host and port, without a path.")
        }
        self.transport = transport
        scheme = String(decoding: parts[..<colon], as: UTF8.self)
        authority = String(decoding: host, as: UTF8.self)
    }

    /// Sends a request.
    ///
    /// - Parameter path: with the query, all escaped.
    func send(_ method: String, _ path: String, headers: HTTPFields = [:], body: [UInt8]? = nil) async throws
        -> HTTPAnswer
    {
        guard let method = HTTPRequest.Method(method) else {
            throw SoupError(.badConfiguration, "\"\(method)\" is not a verb of HTTP")
        }
        return try await transport.send(
            HTTPRequest(method: method, scheme: scheme, authority: authority, path: path, headerFields: headers),
            body: body)
    }

    /// Does something by the org's administration.
    ///
    /// - Throws: ``SoupError`` with `server` when it does not let us, or refuses.
    @discardableResult
    func administer(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> JSONValue {
        var headers = HTTPFields()
        if body != nil { headers[.contentType] = "application/json" }
        let answer = try await send(
            method, path, headers: headers, body: try body.map { Array(try JSONText($0).bytes) })
        guard answer.isSuccess else {
            let isClosed = answer.status == 404 || answer.status == 401
            throw SoupError(
                .server,
                "the org answers \(answer.status) to \(method) \(path): "
                    + String(decoding: answer.body.prefix(300), as: UTF8.self),
                hint: isClosed ? "Serve it with --admin." : nil)
        }
        return (try? JSONValue(parsing: answer.body)) ?? .null
    }
}
