// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupHTTP
internal import SoupCore

/// The `instance_url` of the response of a token endpoint: the server that the access token is sent to.
enum NamedServer {
    /// The response names no server.
    case absent
    /// The response names this server.
    case server(String)
    /// The response names a server that must not receive a token.
    case refused

    /// Reads the server of a response.
    ///
    /// An endpoint can name any https server, because the domain of an org can change. Over http, which shows the token
    /// to others, it can only name a host that is used over http already, and this computer if it runs there itself.
    ///
    /// - Parameters:
    ///   - endpoint: the URL of the server that issues tokens.
    ///   - earlier: the URL of the server that has received tokens until now.
    init(in members: JSONObject, from endpoint: String, after earlier: String) {
        guard let member = members["instance_url"], !member.isNull else {
            self = .absent
            return
        }
        guard let url = member.stringValue, url.onOneLine == url, let named = ServerAddress(url) else {
            self = .refused
            return
        }
        let isKnown = [endpoint, earlier].contains { known in
            guard let known = ServerAddress(known), known.scheme == "http" else { return false }
            return known.host == named.host || (known.isThisComputer && named.isThisComputer)
        }
        self = named.scheme == "https" || isKnown ? .server(url) : .refused
    }
}

extension ServerAddress {
    /// The name or the address of the host, without the port.
    fileprivate var host: Substring {
        // The colons of an IPv6 address are inside brackets.
        if let end = authority.lastIndex(of: "]") { return authority[...end] }
        return authority.prefix { $0 != ":" }
    }

    fileprivate var isThisComputer: Bool { ["localhost", "127.0.0.1", "[::1]"].contains(host) }
}
