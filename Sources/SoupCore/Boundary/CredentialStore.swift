// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A type that keeps the sessions of accounts: the tokens that a login or a renewal returned.
///
/// `org.json` names a store by its name, or by an object with a `type` and the store's other options:
/// `"credentials": {"type": "file", "path": "sessions"}`.
///
/// Guarantees:
///
/// * Accounts are independent. No operation on one account reads or changes the session of another one, whatever
///   characters the account contains.
/// * A change is atomic. After a crash, ``session(of:)`` returns the session from before or after the change, never a
///   mix. When ``save(_:for:)`` returns, the session survives the end of the process; a store in memory documents that
///   it does not.
/// * All methods can be called concurrently, from several values of the same configuration, and from several processes
///   if they can open the same data.
/// * No error and no log message contains a token.
///
/// A server can replace the refresh token at each renewal. The old one is then invalid, so a process that renews must
/// first read the token that another process may have saved. ``exclusively(for:_:)`` makes this possible.
///
/// ```swift
/// let session = try await store.exclusively(for: account) {
///     guard let old = try await store.session(of: account) else { throw SoupError(.sessionExpired, "logged out") }
///     let new = try await renew(old)
///     try await store.save(new, for: account)
///     return new
/// }
/// ```
///
/// Test a store with `CredentialStoreSuite` of SoupTesting.
///
/// Plug-in interface: version 1. ``PluginInterface`` states what may change within it.
public protocol CredentialStore: SyncPlugin {
    /// Returns the session of an account; nil if none is saved.
    ///
    /// - Throws: ``SoupError`` with `credentialsUnusable` if a session may exist and cannot be read: it is damaged, or
    ///   other users can read it. Such a session is not returned, and ``save(_:for:)`` can replace it.
    func session(of account: SessionAccount) async throws -> SavedSession?

    /// Saves the session of an account, and replaces an earlier one as a whole.
    ///
    /// - Throws: ``SoupError`` with `credentialsUnusable`; the earlier session is then unchanged.
    func save(_ session: SavedSession, for account: SessionAccount) async throws

    /// Removes the session of an account; a damaged one, too.
    ///
    /// - Returns: whether there was a session.
    /// - Throws: ``SoupError`` with `credentialsUnusable`.
    @discardableResult
    func removeSession(of account: SessionAccount) async throws -> Bool

    /// Returns the accounts with a session, also a damaged one, in ascending order.
    ///
    /// - Throws: ``SoupError`` with `credentialsUnusable`.
    func accounts() async throws -> [SessionAccount]

    /// Calls `body` while no other caller does the same for this account, in any process that can open the data.
    ///
    /// A caller waits for its turn; callers for other accounts do not wait. `body` can take as long as a request to a
    /// server, and must not call the method for the same account again. The other methods need no turn. The turn ends
    /// when `body` returns or throws, and with the process.
    ///
    /// If several processes cannot be kept apart, the store documents it, and keeps the callers of its own process
    /// apart.
    ///
    /// - Throws: the errors of `body`; `CancellationError` if the task is cancelled while it waits, in which case
    ///   `body` is not called; ``SoupError`` with `credentialsUnusable` if the store cannot be written.
    func exclusively<Result: Sendable>(
        for account: SessionAccount, _ body: @Sendable () async throws -> Result
    ) async throws -> Result
}

extension SoupError.Code {
    /// The saved sessions cannot be read or written.
    public static let credentialsUnusable: Self = "credentialsUnusable"
}
