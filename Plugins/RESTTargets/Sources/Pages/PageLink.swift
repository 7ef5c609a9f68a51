// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The path and query of a URL that a server sent, on the service's own host.
struct PageLink: Sendable, Hashable {
    /// The path with its query, percent-encoded, without scheme and host.
    let path: String

    /// Whether the query contains the number of a page or of records, such as `page=2` or `offset=20`.
    var isNumbered: Bool {
        path.drop { $0 != "?" }.dropFirst().split(separator: "&").contains { parameter in
            let parts = parameter.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, Int(parts[1]) != nil else { return false }
            // Brackets are often percent-encoded.
            let name = parts[0].lowercased().replacing("%5b", with: "[").replacing("%5d", with: "]")
            return PageNumberName.isUsual(name)
        }
    }

    /// Creates the link of a stored cursor.
    ///
    /// - Returns: nil if the text is not a path of a request.
    init?(stored text: String) {
        guard text.utf8.count <= Self.maximumLength, text.utf8.first == UInt8(ascii: "/"), !text.hasPrefix("//"),
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !#"#"<>\^`{|}"#.utf8.contains($0) })
        else { return nil }
        path = text
    }

    /// Resolves a URL that a server sent.
    ///
    /// Without a known origin, as with a connection, only the path and the query of an absolute URL are used: the
    /// request is sent to the connection's own host.
    ///
    /// - Parameters:
    ///   - text: an absolute URL, a path, or a query that begins with `?`.
    ///   - base: the path of the request that the server responded to, without a query.
    ///   - origin: the scheme and host of the list; nil if they are those of a connection.
    /// - Throws: ``SoupError`` for a URL of another host, and for a text that is not a URL.
    init(_ text: String, relativeTo base: String, origin: String?) throws {
        var rest = text[...]
        // A fragment is not part of a request.
        if let mark = rest.firstIndex(of: "#") { rest = rest[..<mark] }
        if let separator = rest.firstRange(of: "://"), Self.isScheme(rest[..<separator.lowerBound]) {
            let tail = rest[separator.upperBound...]
            let end = tail.unicodeScalars.firstIndex { $0 == "/" || $0 == "?" } ?? tail.endIndex
            let host = "\(rest[..<separator.lowerBound])://\(tail[..<end])"
            if let origin, Self.normalized(host) != Self.normalized(origin) {
                throw SoupError(
                    .server, "the server's next page is on another host: \(URLText.masked(host).excerpt(200))",
                    hint:
                        "The target requests pages only from \(origin). Use paging by a cursor, page or offset if the "
                        + "service reports URLs of another host.")
            }
            rest = tail[end...]
            if rest.unicodeScalars.first != "/" { rest = "/" + rest }
        } else if rest.unicodeScalars.first == "?" {
            rest = base + rest
        }
        guard let link = PageLink(stored: String(rest)) else {
            throw SoupError(
                .server, "the server's next page is not a URL: \(URLText.masked(text).excerpt(200))",
                hint: "Check the path of the cursor. If the value is not a URL, write {cursor} in a parameter.")
        }
        self = link
    }

    /// Resolves a reference of a header, which can also be a relative path, such as `contacts?page=2`.
    ///
    /// In a body, such a text is more likely a cursor.
    ///
    /// - Throws: as ``init(_:relativeTo:origin:)``.
    init(reference text: String, relativeTo base: String, origin: String?) throws {
        let path = Self.isRelativePath(text) ? Self.path(of: text, relativeTo: base) : text
        try self.init(path, relativeTo: base, origin: origin)
    }

    /// Whether a text has neither a scheme nor a slash at its beginning, nor consists only of a query.
    private static func isRelativePath(_ text: String) -> Bool {
        let segment = text.unicodeScalars.prefix { !"/?#".unicodeScalars.contains($0) }
        return !segment.isEmpty && !segment.contains(":")
    }

    /// Resolves a relative path as RFC 3986, section 5.2, defines.
    private static func path(of text: String, relativeTo base: String) -> String {
        let end = text.unicodeScalars.firstIndex { $0 == "?" || $0 == "#" } ?? text.endIndex
        var segments = base.split(separator: "/", omittingEmptySubsequences: false).dropFirst().dropLast()
        let names = text[..<end].split(separator: "/", omittingEmptySubsequences: false)
        for name in names {
            if name == ".." { _ = segments.popLast() }
            if name != "." && name != ".." { segments.append(name) }
        }
        if names.last == "." || names.last == ".." { segments.append("") }
        return "/" + segments.joined(separator: "/") + text[end...]
    }

    /// Whether the text before `://` is a scheme: a path or a query may contain these characters too.
    private static func isScheme(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { !"/?:".utf8.contains($0) }
    }

    /// Longer URLs are refused by most servers.
    private static let maximumLength = 16_384

    /// Returns an origin in lower case, without the default port.
    private static func normalized(_ origin: String) -> String {
        let text = origin.lowercased()
        if text.hasPrefix("https://"), text.hasSuffix(":443") { return String(text.dropLast(4)) }
        if text.hasPrefix("http://"), text.hasSuffix(":80") { return String(text.dropLast(3)) }
        return text
    }
}
