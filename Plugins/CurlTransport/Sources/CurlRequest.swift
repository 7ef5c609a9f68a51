// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore

/// A request in the form that libcurl needs.
struct CurlRequest: Sendable, Equatable {
    let method: String
    /// The URL, which changes when a redirect is followed.
    var url: String
    /// The lines of the head, in the form that libcurl reads.
    let fields: [String]
    let body: [UInt8]?

    /// - Throws: ``SoupError`` with `badConfiguration` if the request names no valid server.
    init(_ request: HTTPRequest, body: [UInt8]?) throws {
        let path = request.path ?? "/"
        guard let scheme = request.scheme, let authority = request.authority, !authority.isEmpty,
            !authority.utf8.contains(where: { Array("/?#\\".utf8).contains($0) }),
            CurlURL.server(of: "\(scheme)://\(authority)/") != nil
        else {
            throw SoupError(
                .badConfiguration, "a request needs the URL of a server, and this one has none: \(path.excerpt(200))",
                hint: "Give the request a scheme and an authority, such as https and example.my.salesforce.com.")
        }
        method = request.method.rawValue
        url = "\(scheme)://\(authority)" + Self.encoded(path)
        guard CurlURL.server(of: url) != nil else {
            throw SoupError(
                .badConfiguration, "the path of a request cannot be sent: \(path.excerpt(200))",
                hint: "Encode the values in the path with URLText.segment or URLText.query.")
        }
        // POST, PUT and PATCH have a body, even if it is empty: servers wait for its length.
        let needsBody = ["POST", "PUT", "PATCH"].contains(method)
        self.body = method == "HEAD" ? nil : body ?? (needsBody ? [] : nil)
        fields = Self.fields(request.headerFields, hasBody: self.body != nil)
    }

    /// Whether the request changes nothing on the server, so that libcurl may repeat it on another connection.
    var isSafe: Bool { ["GET", "HEAD", "OPTIONS"].contains(method) }

    /// Returns the URL to follow if the status and the field of a response redirect this request to the same server.
    func redirect(_ status: Int, to location: String?) -> String? {
        guard method == "GET" || method == "HEAD", [301, 302, 303, 307, 308].contains(status), let location,
            let target = CurlURL.resolved(location, against: url), let server = CurlURL.server(of: target),
            server == CurlURL.server(of: url)
        else { return nil }
        return target
    }

    /// Returns the header lines without the fields that libcurl writes itself, and with entries that suppress its
    /// defaults.
    private static func fields(_ fields: HTTPFields, hasBody: Bool) -> [String] {
        var lines: [String] = []
        var names: Set<String> = []
        for field in fields {
            let name = field.name.canonicalName
            guard !["content-length", "transfer-encoding", "expect"].contains(name) else { continue }
            names.insert(name)
            lines.append(field.value.isEmpty ? "\(field.name.rawName);" : "\(field.name.rawName): \(field.value)")
        }
        if !names.contains("accept-encoding") { lines.append("Accept-Encoding: gzip") }
        if hasBody && !names.contains("content-type") { lines.append("Content-Type:") }
        // Suppresses `Expect`: libcurl would wait a second for a response that these servers send at once or never.
        lines.append("Expect:")
        return lines
    }

    /// Percent-encodes the bytes that a URL must not contain; all others are unchanged.
    private static func encoded(_ path: String) -> String {
        let forbidden = Array(#""<>\^`{|}"#.utf8)
        guard path.utf8.contains(where: { $0 <= 0x20 || $0 >= 0x7F || forbidden.contains($0) }) else {
            return path.hasPrefix("/") ? path : "/" + path
        }
        var text = path.hasPrefix("/") ? "" : "/"
        for byte in path.utf8 {
            if byte <= 0x20 || byte >= 0x7F || forbidden.contains(byte) {
                let digits = String(byte, radix: 16, uppercase: true)
                text += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
            } else {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            }
        }
        return text
    }
}
