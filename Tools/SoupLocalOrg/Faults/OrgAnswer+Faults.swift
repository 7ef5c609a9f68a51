// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension OrgAnswer {
    /// Creates the response of a fault that replaces the one of the org; nil for other effects.
    init?(replacedBy effect: OrgFault.Effect) {
        switch effect {
        case .http(let status, let code, let message, let headers, let type):
            self = .failure(status, code: code, message: message, headers: headers, contentType: type)
        case .limit:
            self.init(OrgError(403, "REQUEST_LIMIT_EXCEEDED", message: "TotalRequests Limit exceeded."))
        case .refreshFails(.invalidGrant):
            self = OAuthRefusal("invalid_grant", "expired access/refresh token").answer
        case .refreshFails(.status(let status)):
            self = .failure(status, code: status == 429 ? "REQUEST_LIMIT_EXCEEDED" : "SERVER_UNAVAILABLE")
        default: return nil
        }
    }

    /// Applies a fault to a finished response.
    ///
    /// - Parameter previous: the response to the previous request.
    mutating func damage(by strike: Strike, previous: OrgAnswer?) {
        switch strike.fault.effect {
        case .truncate(let bytes): body = Array(body.prefix(max(0, bytes)))
        case .garbage(nil): body = Array("<html>garbage</html>".utf8)
        case .garbage(let count?):
            var random = strike.random
            body = (0..<min(max(0, count), FaultKind.mostGarbage)).map { _ in
                UInt8(truncatingIfNeeded: random.next() >> 32)
            }
        case .duplicateResponse: if let previous { self = previous }
        case .gateway(let status, let text):
            self = OrgAnswer(status)
            contentType = "text/html"
            body = Array((text ?? "<html><body><h1>\(status)</h1></body></html>").utf8)
        default: break
        }
    }

    private static func failure(
        _ status: Int, code: String, message: String? = nil, headers: [String: String] = [:],
        contentType type: String? = nil
    ) -> OrgAnswer {
        var answer = OrgAnswer(
            OrgError(status, code, message: message ?? usualMessages[code] ?? "An unexpected error occurred."))
        let isPage = type?.lowercased().utf8.holds("html".utf8) ?? (status == 502 || status == 504)
        if isPage { answer.body = Array("<html><body><h1>\(message ?? String(status))</h1></body></html>".utf8) }
        if let type = type ?? (isPage ? "text/html" : nil) { answer.contentType = type }
        answer.headers = headers.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
        return answer
    }

    /// The messages of orgs for error codes, for rules without a message.
    private static let usualMessages = [
        "INVALID_SESSION_ID": "Session expired or invalid",
        "NOT_FOUND": "The requested resource does not exist",
        "INVALID_INPUT": "The request is not valid",
        "REQUEST_LIMIT_EXCEEDED": "TotalRequests Limit exceeded.",
        "SERVER_UNAVAILABLE": "System temporarily unavailable. Please retry.",
        "UNABLE_TO_LOCK_ROW": "unable to obtain exclusive access to this record or 1 records",
    ]
}

extension LocalOrg.Exchange.Cut {
    /// The position in a response at which a connection that breaks at a point of the request ends.
    ///
    /// - Parameter size: the size of the body, in bytes.
    init(_ point: OrgFault.DropPoint, bodySize size: Int) {
        self =
            switch point {
            case .accept: .refused
            case .beforeHeaders, .afterCommit: .beforeHeaders
            case .midBody: .inBody(size / 2)
            }
    }
}
