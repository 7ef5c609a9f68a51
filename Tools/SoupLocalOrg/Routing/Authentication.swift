// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// Finds the user of a request by its access token, and counts the call.
struct Authentication {
    let context: OrgContext

    /// Sets the caller from the request's token and counts the call.
    ///
    /// - Throws: ``OrgError`` if the token is missing or invalid, and if the daily limit is exceeded.
    func authenticate(_ request: OrgRequest) throws {
        let org = context.org
        guard let token = request.bearerToken, let access = org.tokens.access(token, now: org.clock.now) else {
            throw OrgError.invalidSession
        }
        // A change of the tokens writes all of them into the state file.
        if access.callsLeft != nil { org.tokens.countCall(token) }
        context.userId = access.grant.userId
        context.isCounted = true
        try org.dailyLimit.countCall(at: org.clock.now, maximum: org.options.dailyLimit)
    }
}

extension OrgRequest {
    /// The access token in the `Authorization` header.
    var bearerToken: String? {
        let parts = (headers[.authorization] ?? "").split(separator: " ", maxSplits: 1)
        guard parts.count == 2, ["bearer", "oauth"].contains(parts[0].lowercased()) else { return nil }
        return String(parts[1])
    }
}
