// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore

/// The check of a request's sender: the secret, and for a page its origin.
struct ClientCheck: Sendable {
    /// The secret that the header `Authorization` must contain: `Bearer`, a space and the secret.
    let secret: String
    /// The origins of other servers' pages that may send requests, such as `http://localhost:3000`.
    let origins: Set<String>

    /// Returns the reason why a request is not answered; nil if it is.
    func refusal(of head: HTTPRequest) -> EndpointError? {
        if let error = pageRefusal(of: head) { return error }
        guard isAuthorized(head) else {
            return EndpointError(
                .unauthorized, "the secret is missing or wrong: send it in the header Authorization: Bearer SECRET")
        }
        return nil
    }

    /// Returns the reason why the request of a page, or for another host, is not answered; nil if it is.
    func pageRefusal(of head: HTTPRequest) -> EndpointError? {
        guard let host = head.authority ?? HTTPField.Name("Host").flatMap({ head.headerFields[$0] }),
            Self.isThisMachine(host)
        else {
            return EndpointError(.forbidden, "the header Host must name this machine: 127.0.0.1, localhost or [::1]")
        }
        guard let origin = head.headerFields[.origin], !isAllowed(origin, host: host) else { return nil }
        return EndpointError(
            .forbidden, "pages of \(origin.excerpt(100)) may not use the bridge: start it with --origin and this origin"
        )
    }

    /// Returns whether a page of an origin may send requests: one of the server itself, or of an allowed origin.
    func isAllowed(_ origin: String, host: String) -> Bool {
        origin == "http://\(host)" || origins.contains(origin)
    }

    /// The header fields that let the page of an allowed origin read the response.
    func fields(for head: HTTPRequest) -> HTTPFields {
        var fields: HTTPFields = [.vary: "Origin"]
        let host = head.authority ?? ""
        guard let origin = head.headerFields[.origin], isAllowed(origin, host: host) else { return fields }
        fields[.accessControlAllowOrigin] = origin
        return fields
    }

    private func isAuthorized(_ head: HTTPRequest) -> Bool {
        guard let value = head.headerFields[.authorization] else { return false }
        return Self.isEqual(Array(value.utf8), Array("Bearer \(secret)".utf8))
    }

    /// Compares two texts in a time that does not depend on their contents.
    private static func isEqual(_ first: [UInt8], _ second: [UInt8]) -> Bool {
        guard first.count == second.count else { return false }
        return zip(first, second).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private static func isThisMachine(_ authority: String) -> Bool {
        let name = authority.lowercased()
        return ["127.0.0.1", "localhost", "[::1]"].contains { host in
            name == host || (name.hasPrefix(host + ":") && name.dropFirst(host.count + 1).allSatisfy(\.isASCIIDigit))
        }
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
