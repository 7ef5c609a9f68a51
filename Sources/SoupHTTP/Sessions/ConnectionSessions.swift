// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

package import SoupCore

/// The saved session of a connection of `org.json`.
package struct ConnectionSessions: Sendable {
    let account: SessionAccount
    let store: any CredentialStore
    let report: (@Sendable (SoupError) -> Void)?

    /// - Parameters:
    ///   - name: the name of the connection.
    ///   - owner: the user whose session it is; nil for a session of all users.
    ///   - report: receives the errors of the store if the connection can be used without it; nil to throw them.
    package init(
        of name: String, owner: String? = nil, in store: any CredentialStore,
        report: (@Sendable (SoupError) -> Void)? = nil
    ) {
        (account, self.store, self.report) = (.connection(name, owner: owner), store, report)
    }

    func session(for grant: OAuthGrant, clock: any SoupClock) -> KeptSession {
        KeptSession(
            account, in: store, clock: clock, known: SavedSession(continuing: grant),
            accepts: { $0.belongs(to: grant) },
            report: grant.needsLogin ? nil : report)
    }
}

extension SavedSession {
    /// The session that begins with the refresh token of a configuration; nil without one.
    init?(continuing grant: OAuthGrant) {
        guard let token = grant.refreshToken else { return nil }
        self.init(
            tokenURL: grant.tokenURL, clientId: grant.clientId, refreshToken: token,
            continuedToken: SHA256Digest.hexadecimal(of: token), savedAt: .init(millisecondsSince1970: 0))
    }

    /// Returns whether the session was issued by the server to the client of a grant, and continues its token.
    package func belongs(to grant: OAuthGrant) -> Bool {
        wasIssued(by: grant.tokenURL) && clientId == grant.clientId
            && continuedToken == grant.refreshToken.map { SHA256Digest.hexadecimal(of: $0) }
    }

    /// Returns the session with the tokens of a renewal; without a new refresh token it keeps the old one.
    package func renewed(with tokens: OAuthTokens, at now: Int64) -> SavedSession {
        var session = self
        session.accessToken = tokens.accessToken
        session.accessTokenExpiry = tokens.expiry(from: now).map { .init(millisecondsSince1970: $0) }
        session.refreshToken = tokens.refreshToken ?? refreshToken
        session.scope = tokens.scope ?? scope
        session.savedAt = .init(millisecondsSince1970: now)
        return session
    }
}
