// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

package import SoupCore
internal import Synchronization

/// The saved session of one account, which several processes renew one after the other.
///
/// A server can replace the refresh token at each renewal. Therefore a renewal first reads the session that another
/// process may have saved, and the new tokens are saved before they are used. Before the request, the present session
/// is saved again: a store that cannot save must be found while the present token is still valid.
package final class KeptSession: Sendable {
    package let account: SessionAccount
    private let store: any CredentialStore
    private let clock: any SoupClock
    /// Whether a saved session belongs to the configuration: its server, its client, and the token that it continues.
    private let accepts: @Sendable (SavedSession) -> Bool
    /// Receives the error of a store that is not required; nil if the store is required.
    private let report: (@Sendable (SoupError) -> Void)?
    /// The session that begins with a token of the configuration, after its last renewal; nil for the session of a
    /// login, which ends when it is removed from the store.
    private let known: Mutex<SavedSession?>
    /// A renewed session that could not be saved: the server may have replaced the token of the saved one.
    private let unsaved = Mutex<Unsaved?>(nil)
    /// The refresh token that the server has refused, and its error.
    private let refused = Mutex<(token: String, error: SoupError)?>(nil)

    private struct Unsaved {
        var session: SavedSession
        /// The saved session that was renewed; nil if none was saved.
        var replaced: SavedSession?
    }

    /// - Parameters:
    ///   - known: the session that begins with a token of the configuration; nil for that of a login.
    ///   - report: receives errors of the store. With it, a session is renewed even if the store cannot be used, as
    ///     without a store. Nil to throw these errors.
    package init(
        _ account: SessionAccount, in store: any CredentialStore, clock: any SoupClock, known: SavedSession? = nil,
        accepts: @escaping @Sendable (SavedSession) -> Bool, report: (@Sendable (SoupError) -> Void)? = nil
    ) {
        self.known = Mutex(known)
        self.account = account
        self.store = store
        self.clock = clock
        self.accepts = accepts
        self.report = report
    }

    /// Returns the saved session; nil if there is none that belongs to the configuration.
    ///
    /// - Throws: ``SoupError`` with `credentialsUnusable`.
    package func saved() async throws -> SavedSession? {
        do {
            return try await store.session(of: account).flatMap { accepts($0) ? $0 : nil }
        } catch let error as SoupError where error.code == .credentialsUnusable {
            guard let report else { throw error }
            report(error)
            return nil
        }
    }

    /// Returns a session whose access token differs from `stale`: one that another process has saved, or a new one.
    ///
    /// A refresh token that the server has refused is not sent again: all callers get the same error until another
    /// session is saved.
    ///
    /// - Parameter refresh: requests new tokens for a session, and returns it with them.
    /// - Throws: `sessionExpired` if there is no session, or if the server refuses the refresh token; the other errors
    ///   of `refresh`; `credentialsUnusable`.
    package func renewed(
        replacing stale: String?, by refresh: @Sendable (SavedSession) async throws -> SavedSession
    ) async throws -> SavedSession {
        let hasTurn = Atomic<Bool>(false)
        do {
            return try await store.exclusively(for: account) {
                hasTurn.store(true, ordering: .relaxed)
                return try await renewedAlone(replacing: stale, by: refresh)
            }
        } catch let error as SoupError where error.code == .credentialsUnusable {
            guard let report, !hasTurn.load(ordering: .relaxed) else { throw error }
            report(error)
            return try await renewedAlone(replacing: stale, by: refresh)
        }
    }

    private func renewedAlone(
        replacing stale: String?, by refresh: @Sendable (SavedSession) async throws -> SavedSession
    ) async throws -> SavedSession {
        var kept = try await saved()
        if let unsaved = unsaved.withLock({ $0 }) {
            // After a logout or another login the renewed session is no longer valid for the account.
            if kept.map(\.refreshToken) == unsaved.replaced.map(\.refreshToken) {
                try await save(unsaved.session)
                kept = try await saved()
            }
            self.unsaved.withLock { $0 = nil }
        }
        if let kept, isUsable(kept, insteadOf: stale) { return kept }
        guard let session = kept ?? known.withLock({ $0 }) else { throw Self.noSession(account) }
        do {
            let fresh = try await refreshed(session, by: refresh)
            known.withLock { known in if known != nil { known = fresh } }
            // A token of the configuration is only continued in the store if the server replaces it.
            if kept != nil || report == nil || fresh.refreshToken != session.refreshToken {
                // A required store contains the renewed session since the check before the request.
                unsaved.withLock { $0 = Unsaved(session: fresh, replaced: report == nil ? session : kept) }
                try await save(fresh)
                unsaved.withLock { $0 = nil }
            }
            return fresh
        } catch let error as SoupError where error.code == .sessionExpired {
            // A store that cannot keep processes apart may have got a session in the meantime.
            if let other = try await saved(), other.refreshToken != session.refreshToken,
                isUsable(other, insteadOf: stale)
            {
                return other
            }
            throw error
        }
    }

    private func isUsable(_ session: SavedSession, insteadOf stale: String?) -> Bool {
        guard let token = session.accessToken, token != stale else { return false }
        return session.accessTokenExpiry.map { clock.milliseconds < $0.millisecondsSince1970 - 30_000 } ?? true
    }

    private func save(_ session: SavedSession) async throws {
        do {
            try await store.save(session, for: account)
        } catch let error as SoupError where error.code == .credentialsUnusable {
            guard let report else { throw error }
            report(error)
        }
    }

    /// Requests new tokens, after a check that a required store can save them.
    ///
    /// If the response is lost, the server may already have replaced the refresh token. The request is then repeated
    /// once and at once: servers that replace tokens often accept the previous one for some seconds.
    private func refreshed(
        _ session: SavedSession, by refresh: @Sendable (SavedSession) async throws -> SavedSession
    ) async throws -> SavedSession {
        let token = session.refreshToken
        if let refused = refused.withLock({ $0 }), refused.token == token { throw refused.error }
        if report == nil { try await store.save(session, for: account) }
        do {
            do {
                return try await refresh(session)
            } catch let error as SoupError where error.code == .network && error.delivery == .unknown {
                return try await repeated(session, by: refresh)
            }
        } catch let error as SoupError where error.code == .sessionExpired {
            if let token { refused.withLock { $0 = (token, error) } }
            throw error
        }
    }

    private func repeated(
        _ session: SavedSession, by refresh: @Sendable (SavedSession) async throws -> SavedSession
    ) async throws -> SavedSession {
        do {
            return try await refresh(session)
        } catch let error as SoupError where error.code == .sessionExpired {
            throw SoupError(
                .sessionExpired, "the session has expired: the response with its new refresh token was lost",
                hint: "Log in again.", cause: error)
        }
    }

    private static func noSession(_ account: SessionAccount) -> SoupError {
        SoupError(
            .sessionExpired, "there is no saved session of the \(account)",
            hint: "Log in with `soup login\(account.options)`.")
    }
}
