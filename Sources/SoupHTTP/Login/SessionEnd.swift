// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The result of a logout: the session is removed from the store of sessions.
///
/// A logout does not remove the stores that the account has synced: their records and local changes stay on the device.
public struct SessionEnd: Sendable, Hashable {
    /// The account that was logged out.
    public var account: SessionAccount
    /// The reason why the server was not asked, or did not confirm, to end the tokens; nil if it has ended them.
    public var revocationError: SoupError?

    /// Creates a result; for tests.
    public init(account: SessionAccount, revocationError: SoupError? = nil) {
        self.account = account
        self.revocationError = revocationError
    }

    /// Ends the tokens at the server, and removes the session.
    ///
    /// The session is removed even if it is damaged, or if the server cannot be reached. It is removed last, so that a
    /// logout that is interrupted can be repeated. No other process renews the session meanwhile.
    ///
    /// - Parameter server: returns the server that issued the session.
    /// - Returns: nil if there was no session.
    /// - Throws: ``SoupError`` with `credentialsUnusable`; `CancellationError`.
    package static func end(
        _ account: SessionAccount, in store: any CredentialStore,
        at server: @escaping @Sendable (SavedSession) throws -> OAuthLogin
    ) async throws -> SessionEnd? {
        try await store.exclusively(for: account) {
            var end = SessionEnd(account: account)
            do {
                guard let session = try await store.session(of: account) else { return nil }
                try await server(session).revoke(session)
            } catch let error as SoupError {
                end.revocationError = error
                // The session is removed, so the hint to replace it does not help.
                if error.code == .credentialsUnusable {
                    end.revocationError?.hint = "End the session in the settings of the server."
                }
            }
            try await store.removeSession(of: account)
            return end
        }
    }
}
