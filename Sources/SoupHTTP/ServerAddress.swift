// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
internal import SoupCore

/// The part of a URL that names a server, and the base path of its resources.
package struct ServerAddress: Sendable, Hashable {
    package var scheme: String
    /// Host and port, in lower case, without the default port of the scheme.
    package var authority: String
    /// The path without a slash at the end; empty for most servers.
    package var path: String

    /// Reads `https://host:port/path`; nil if the scheme is not http or https, there is no host, the port is not a
    /// number from 1 to 65535, or there is a user, a query or a fragment.
    package init?(_ url: String) {
        let parts = url.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        // Compared by scalars: a combining mark after a slash or an at sign makes another character, but not another
        // URL.
        let slash = parts[1].unicodeScalars.firstIndex(of: "/") ?? parts[1].endIndex
        self.init(scheme: String(parts[0]), authority: String(parts[1][..<slash]))
        guard ["http", "https"].contains(scheme), !authority.isEmpty, !authority.unicodeScalars.contains("@"),
            authority.unicodeScalars.first != ":",
            !url.unicodeScalars.contains(where: { $0 == "?" || $0 == "#" || $0 == " " || $0 == "\\" }),
            Self.hasPossiblePort(authority)
        else { return nil }
        path = String(parts[1][slash...])
        while path.hasSuffix("/") { path.removeLast() }
    }

    /// Reads the URL of a server.
    ///
    /// - Throws: ``SoupError`` with `badConfiguration`, which says why the text is none.
    package init(required url: String) throws {
        guard let address = ServerAddress(url) else {
            throw SoupError(
                .badConfiguration,
                "\"\(URLText.masked(url))\" \(Self.fault(in: url) ?? "is not the URL of a server")",
                hint: "Use a URL such as https://example.com.")
        }
        self = address
    }

    /// Returns the reason why a text is not the URL of a server, as the end of a sentence; nil for a valid URL.
    package static func fault(in url: String) -> String? {
        guard ServerAddress(url) == nil else { return nil }
        let other = "is not an http or https URL"
        let parts = url.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, ["http", "https"].contains(parts[0].lowercased()) else { return other }
        let rest = parts[1].unicodeScalars
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        if authority.contains("@") || rest.contains("?") || rest.contains("#") {
            return "must have no user, query or fragment"
        }
        return hasPossiblePort(String(authority)) ? other : "has a port that is not a number from 1 to 65535"
    }

    /// Returns whether an authority has no port, or a valid one.
    private static func hasPossiblePort(_ authority: String) -> Bool {
        // The colons of an IPv6 address are inside brackets.
        let bytes = authority.utf8
        guard let colon = bytes.lastIndex(of: UInt8(ascii: ":")), !bytes[colon...].contains(UInt8(ascii: "]")) else {
            return true
        }
        let port = bytes[bytes.index(after: colon)...]
        guard !port.isEmpty else { return true }
        guard port.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return false }
        return Int(Substring(port)).map { (1...65_535).contains($0) } ?? false
    }

    init(scheme: String, authority: String) {
        self.scheme = scheme.lowercased()
        self.authority = authority.lowercased()
        let usual = self.scheme == "https" ? ":443" : ":80"
        if self.authority.hasSuffix(usual) { self.authority.removeLast(usual.count) }
        path = ""
    }

    /// Returns whether a request is addressed to this server.
    package func isServer(of request: HTTPRequest) -> Bool {
        guard let authority = request.authority else { return true }
        let other = ServerAddress(scheme: request.scheme ?? "https", authority: authority)
        return other.scheme == scheme && other.authority == self.authority
    }

    /// Returns the request, addressed to this server.
    package func addressing(_ request: HTTPRequest) -> HTTPRequest {
        var request = request
        if request.authority == nil { request.path = path + (request.path ?? "/") }
        request.scheme = scheme
        request.authority = authority
        return request
    }
}
