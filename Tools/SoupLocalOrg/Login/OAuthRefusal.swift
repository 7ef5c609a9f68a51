// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// An error of the OAuth resources.
struct OAuthRefusal: Error {
    var error: String
    var description: String
    var status = 400

    init(_ error: String, _ description: String, status: Int = 400) {
        self.error = error
        self.description = description
        self.status = status
    }

    var answer: OrgAnswer {
        OrgAnswer(["error": .string(error), "error_description": .string(description)], status: status)
    }
}

extension OrgAnswer {
    /// The response to an invalid token where the path has no version: plain text, which clients compare.
    static let badOAuthToken = OrgAnswer(
        403, body: Array("Bad_OAuth_Token".utf8), contentType: "text/html;charset=UTF-8")
}
