// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore
import SoupTesting

/// A server of several users, whose access tokens can be ended, and whose refresh tokens are valid once.
actor RotatingServer {
    private var valid: Set<String> = []
    private var used: Set<String> = []

    func answer(_ request: RecordedRequest) throws -> HTTPAnswer {
        if request.method == .post {
            let token = String((request.bodyText ?? "").split(separator: "=").last ?? "")
            guard used.insert(token).inserted, let mark = token.lastIndex(of: "r"),
                let number = Int(token[token.index(after: mark)...])
            else { return HTTPAnswer(status: 400, #"{"error":"invalid_grant","error_description":"used"}"#) }
            let name = token[..<mark]
            valid.insert("Bearer \(name)a\(number + 1)")
            return HTTPAnswer(
                #"{"access_token":"\#(name)a\#(number + 1)","refresh_token":"\#(name)r\#(number + 1)"}"#)
        }
        guard let token = request.header("authorization"), valid.contains(token) else {
            return HTTPAnswer(status: 401, expired)
        }
        let name = token.dropFirst("Bearer ".count).prefix { $0 != "-" }
        return HTTPAnswer(#""\#(name)""#)
    }

    /// Ends all access tokens.
    func expireAll() { valid = [] }

    /// Whether a request of a user has a token of the same user.
    static func isConsistent(_ request: RecordedRequest) -> Bool {
        guard request.method == .get else { return true }
        let name = request.pathAndQuery.dropFirst()
        return request.header("authorization")?.hasPrefix("Bearer \(name)-") == true
    }
}
