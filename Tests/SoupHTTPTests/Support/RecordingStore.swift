// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import CredentialStores
import SoupCore

/// A credential store that reports what it saves, or fails.
struct RecordingStore: CredentialStore {
    struct Configuration: Decodable, Sendable {}
    static let name: PluginName = "recording"

    private let base: MemoryCredentialStore
    private let isBroken: Bool
    private let record: @Sendable (String) -> Void
    /// Called before a session is saved, after it was recorded; it can throw.
    var beforeSave: @Sendable () throws -> Void = {}

    init(configuration: Configuration) { self.init(MemoryCredentialStore()) { _ in } }

    init(_ base: MemoryCredentialStore, isBroken: Bool = false, record: @escaping @Sendable (String) -> Void) {
        (self.base, self.isBroken, self.record) = (base, isBroken, record)
    }

    private func check() throws { if isBroken { throw SoupError(.credentialsUnusable, "broken") } }

    func session(of account: SessionAccount) async throws -> SavedSession? {
        try check()
        return base.session(of: account)
    }

    func save(_ session: SavedSession, for account: SessionAccount) async throws {
        try check()
        record("save \(session.accessToken ?? "") \(session.refreshToken ?? "")")
        try beforeSave()
        base.save(session, for: account)
    }

    func removeSession(of account: SessionAccount) async throws -> Bool {
        try check()
        return base.removeSession(of: account)
    }

    func accounts() async throws -> [SessionAccount] {
        try check()
        return base.accounts()
    }

    func exclusively<Result: Sendable>(
        for account: SessionAccount, _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        try check()
        return try await base.exclusively(for: account, body)
    }
}
