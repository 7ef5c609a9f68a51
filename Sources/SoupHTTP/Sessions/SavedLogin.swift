// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

package import SoupCore

extension CredentialStore {
    /// Saves the session of a login, and replaces an earlier one of the same server.
    ///
    /// A session of another server is never replaced: any server can name the IDs of any user in its response.
    ///
    /// - Throws: ``SoupError``: `loginFailed` if another server has issued the saved session; `credentialsUnusable`.
    package func saveLogin(_ session: SavedSession, for account: SessionAccount) async throws {
        try await exclusively(for: account) {
            if let earlier = try await readable(account), !earlier.wasIssued(by: session.tokenURL) {
                throw SoupError(
                    .loginFailed,
                    "the \(account) is already logged in at another server: \(earlier.tokenURL.excerpt(200).onOneLine)",
                    hint: "Log out there first, for example with `soup logout\(account.logoutOptions)`.")
            }
            try await save(session, for: account)
        }
    }

    /// Returns the session of an account; nil if there is none, or if it is damaged and can be replaced.
    private func readable(_ account: SessionAccount) async throws -> SavedSession? {
        do {
            return try await session(of: account)
        } catch let error as SoupError where error.code == .credentialsUnusable {
            return nil
        }
    }
}

extension SavedSession {
    /// Returns whether a token endpoint has issued the session.
    package func wasIssued(by endpoint: String) -> Bool {
        if tokenURL == endpoint { return true }
        guard let server = ServerAddress(tokenURL) else { return false }
        return server == ServerAddress(endpoint)
    }
}

extension SessionAccount {
    /// The options of the command line that choose the account, each with a space before it.
    package var options: String {
        switch self {
        case .user(let organization, let user, let community):
            " --user " + [organization, user, community].compactMap { $0 }.joined(separator: "/")
        case .connection(let name, let owner):
            " --connection \(name.excerpt(100).onOneLine)"
                + (owner.map { " --user \($0.excerpt(200).onOneLine)" } ?? "")
        case .configuredToken: ""
        }
    }

    /// The options of a logout that removes no store.
    fileprivate var logoutOptions: String {
        if case .user = self { " --keep-data" + options } else { options }
    }
}
