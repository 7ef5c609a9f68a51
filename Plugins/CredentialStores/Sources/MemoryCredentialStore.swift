// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore
internal import Synchronization

/// The credential store `memory`: sessions end with the process.
///
/// Copies share the sessions; two values that are created from the same configuration do not.
public struct MemoryCredentialStore: CredentialStore {
    /// The options: none.
    public struct Configuration: Decodable, Sendable, Hashable {
        /// Creates the configuration.
        public init() {}
    }

    /// `memory`.
    public static let name: PluginName = "memory"

    private let shared = SharedSessions()

    /// Creates a store without sessions.
    public init(configuration: Configuration = Configuration()) {}

    /// Returns the session of an account; does not throw.
    public func session(of account: SessionAccount) -> SavedSession? {
        shared.sessions.withLock { $0[account] }
    }

    /// Saves the session until the process ends; does not throw.
    public func save(_ session: SavedSession, for account: SessionAccount) {
        shared.sessions.withLock { $0[account] = session }
    }

    /// Removes the session of an account; does not throw.
    @discardableResult
    public func removeSession(of account: SessionAccount) -> Bool {
        shared.sessions.withLock { $0.removeValue(forKey: account) != nil }
    }

    /// Returns the accounts with a session; does not throw.
    public func accounts() -> [SessionAccount] {
        shared.sessions.withLock { $0.keys.sorted() }
    }

    /// Calls `body` while no other caller with a copy of this store does the same for this account.
    public func exclusively<Result: Sendable>(
        for account: SessionAccount, _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        let turn = shared.turn(of: account)
        try await turn.wait()
        defer { turn.signal() }
        return try await body()
    }

    /// The sessions that copies share.
    private final class SharedSessions: Sendable {
        let sessions = Mutex<[SessionAccount: SavedSession]>([:])
        private let turns = Mutex<[SessionAccount: AsyncSemaphore]>([:])

        func turn(of account: SessionAccount) -> AsyncSemaphore {
            turns.withLock { turns in
                let turn = turns[account] ?? AsyncSemaphore(permits: 1)
                turns[account] = turn
                return turn
            }
        }
    }
}
