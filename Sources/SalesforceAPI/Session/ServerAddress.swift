// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// The part of a URL that names a server, and the path that its resources start from.
struct ServerAddress: Sendable, Hashable {
    var scheme: String
    /// Host and port, in lower case, without the port that goes with the scheme.
    var authority: String
    /// Without a slash at the end; empty for most servers.
    var path: String

    /// Reads `https://host:port/path`; nil for anything but http and https, without a host, with a port that is no
    /// number from 1 to 65535, and with a user, a query or a fragment.
    init?(_ url: String) {
        let parts = url.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        // By scalars: a mark that combines with a slash or an at sign makes another character of it, but no other URL.
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

    /// Why a text is not the URL of a server, as the end of a sentence about it; nil if it is one.
    static func fault(in url: String) -> String? {
        guard ServerAddress(url) == nil else { return nil }
        let other = "is not an http or https URL"
        let parts = url.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, ["http", "https"].contains(parts[0].lowercased()) else { return other }
        let rest = parts[1].unicodeScalars
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        if authority.contains("@") || rest.contains("?") || rest.contains("#") {
            return "must have no user, query or fragment"
        }
        return hasPossiblePort(String(authority)) ? other : "has a port that is no number from 1 to 65535"
    }

    /// Whether an authority has no port, or one that a server can have.
    private static func hasPossiblePort(_ authority: String) -> Bool {
        // The colons of an IPv6 address stand in brackets.
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

    /// Whether a request that names a server means this one.
    func isServer(of request: HTTPRequest) -> Bool {
        guard let authority = request.authority else { return true }
        let other = ServerAddress(scheme: request.scheme ?? "https", authority: authority)
        return other.scheme == scheme && other.authority == self.authority
    }

    /// The request, addressed to this server.
    func addressing(_ request: HTTPRequest) -> HTTPRequest {
        var request = request
        if request.authority == nil { request.path = path + (request.path ?? "/") }
        request.scheme = scheme
        request.authority = authority
        return request
    }
}
