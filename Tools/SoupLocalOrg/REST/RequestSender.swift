// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore

/// The headers that show whether a request was caused by a web page in a browser on this machine.
///
/// A page can make its browser send requests to a local server. With a DNS name of its own that resolves to 127.0.0.1
/// it could also read the answers. The browser then sends that name in `Host`, and the page's address in `Origin`.
struct RequestSender {
    /// From `Host`; nil if the header is absent.
    var authority: String?
    var origin: String?
    /// From `Sec-Fetch-Site`.
    var site: String?

    init(authority: String?, origin: String? = nil, site: String? = nil) {
        self.authority = authority
        self.origin = origin
        self.site = site
    }

    init(_ head: HTTPRequest) {
        func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { head.headerFields[$0] } }
        self.init(
            authority: head.authority ?? header("Host"), origin: header("Origin"), site: header("Sec-Fetch-Site"))
    }

    /// Returns the reason why the request is not answered; nil if it is.
    ///
    /// - Parameters:
    ///   - isAdministration: whether the request is for `/_emu`.
    ///   - scheme: of the server.
    ///   - names: hosts that are allowed beside those of this machine.
    func refusal(isAdministration: Bool, scheme: String, allowing names: [String]) -> OrgError? {
        guard let authority, let host = Self.host(of: authority) else {
            return OrgError(400, "INVALID_HOST", message: "The request has no Host header that names a host")
        }
        guard Self.isThisMachine(host) || names.contains(where: { $0.lowercased() == host }) else {
            return OrgError(
                403, "INVALID_HOST",
                message:
                    "The Host header names \(host), and the local org answers requests to this machine only: use 127.0.0.1, or "
                    + "start it with --allow-host \(host)")
        }
        guard isAdministration else { return nil }
        let own = "\(scheme)://\(authority)".lowercased()
        if let origin, origin.lowercased() != own {
            return OrgError(
                403, "INVALID_ORIGIN",
                message: "A web page of \(origin) may not use the administration of the local org")
        }
        if let site = site?.lowercased(), site != "same-origin", site != "none" {
            return OrgError(
                403, "INVALID_ORIGIN",
                message: "A web page of another site may not use the administration of the local org")
        }
        return nil
    }

    /// The host of `host:port`, in lower case and without the dot that can end a name; nil for anything else.
    static func host(of authority: String) -> String? {
        let text = authority.lowercased()
        var host = text[...]
        var port = ""[...]
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = text[...end]
            port = text[text.index(after: end)...]
        } else if let colon = text.firstIndex(of: ":") {
            host = text[..<colon]
            port = text[colon...]
        }
        guard port.isEmpty || (port.hasPrefix(":") && port.dropFirst().utf8.allSatisfy { (0x30...0x39).contains($0) })
        else { return nil }
        if host.hasSuffix(".") { host = host.dropLast() }
        let isName = host.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) || "-._".utf8.contains(byte)
        }
        guard !host.isEmpty, isName || host.hasPrefix("[") else { return nil }
        return String(host)
    }

    /// Returns whether a host is a loopback name or address, which no DNS server decides on.
    static func isThisMachine(_ host: String) -> Bool {
        if ["localhost", "[::1]", "[0:0:0:0:0:0:0:1]"].contains(host) || host.hasSuffix(".localhost") { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { part in
                (1...3).contains(part.utf8.count) && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
                    && UInt8(part) != nil
            }
    }
}
