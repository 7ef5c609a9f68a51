// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupStore
internal import SoupCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension SoupClient {
    /// Stops the syncs, closes the store, and removes everything that SoupKit keeps on this device for the user.
    ///
    /// | client | removed |
    /// |---|---|
    /// | with ``Options/user`` | the user's folder with all stores, logs, keys, key-value stores and other files |
    /// | with ``Options/store`` | this file, its log, its key and its additional stores |
    /// | with neither | the user scope's stores of the configuration and of the folder, and the folder `user` |
    ///
    /// Global stores and the files of other users are never changed. At last the saved session of the user is ended:
    /// the server is asked to end its tokens, and it is removed from the credential store even if the server cannot be
    /// reached. Tokens in `org.json` stay.
    ///
    /// Changes that were not sent are counted first, and again after the syncs have stopped. If there are any, nothing
    /// is removed, and the client stays open. If another task makes one at the last moment, nothing is removed either,
    /// and the client is closed.
    ///
    /// The removal is decided in one step. If it is interrupted before that step, nothing has changed. If it is
    /// interrupted later, no store is opened with a part of its data: the next opening, or a repetition, completes the
    /// removal first. Keys are removed before files, so that encrypted files are unreadable from then on.
    ///
    /// Close other clients of the same user first: they continue with files that are gone, and the changes that they
    /// write are lost.
    ///
    /// - Parameter discardingUnsentChanges: whether to remove the stores even if changes were not sent, or if a store
    ///   cannot be opened to look for them.
    /// - Returns: the removed stores, and those that cannot be removed. A key that several stores can share, because
    ///   the configuration gives it a path or an account, is not removed.
    /// - Throws: ``SoupError``: `localChanges` with the soups; `storeUnusable` if another client or process syncs one
    ///   of the stores; `notSupported` for a client of the global store. The client is then open, its running syncs are
    ///   stopped, and nothing is removed. If a file or a key cannot be removed, the error of the file system or of the
    ///   key provider, after which the client is closed, and a repetition removes the rest. If it is a file, all others
    ///   are removed, and the session is ended.
    public func destroy(discardingUnsentChanges: Bool = false) async throws -> UserRemoval {
        try await destroy(discardingUnsentChanges: discardingUnsentChanges) {}
    }

    /// - Parameter willClose: called when the changes were counted, before the store is closed; a test makes one here.
    func destroy(
        discardingUnsentChanges: Bool, willClose: () async throws -> Void
    ) async throws -> UserRemoval {
        let removal = try Self.removal(configuration, options)
        if !discardingUnsentChanges { try await requireNoUnsentChanges() }
        await syncs.close()
        let leases: [SyncLease]
        do {
            leases = try removal.claimLeases()
            do {
                if !discardingUnsentChanges { try await requireNoUnsentChanges() }
            } catch {
                for lease in leases { lease.release() }
                throw error
            }
        } catch {
            _ = try? await syncs.restart(restartStoppedSyncs: false)
            throw error
        }
        defer { for lease in leases { lease.release() } }
        try await willClose()
        try await store.close()
        // Another task can have made a change until the store was closed.
        if !discardingUnsentChanges {
            try Self.requireNone(of: try await Self.unsentChanges(configuration, options))
        }
        return try await Self.remove(removal, SessionRemoval(configuration, options))
    }

    /// Removes everything that SoupKit keeps on this device for a user whose stores are not open.
    ///
    /// It does the same as ``destroy(discardingUnsentChanges:)``, and completes a removal that was interrupted. A user
    /// without stores is no error.
    ///
    /// ```swift
    /// let user = try StoreUser(organization: "00DJ0000000CeXy", user: "005J0000002AbCd")
    /// let removal = try await SoupClient.destroy(at: folder, options: .init(user: user))
    /// print(removal.stores, removal.kept)
    /// ```
    ///
    /// - Parameters:
    ///   - folder: the file URL of the folder with the files, as for ``open(at:options:)``; the folder need not have
    ///     files.
    ///   - options: the values for opening; `scope` must be `user`.
    ///   - discardingUnsentChanges: whether to remove the stores even if changes were not sent, or if a store cannot be
    ///     opened to look for them.
    /// - Returns: as ``destroy(discardingUnsentChanges:)``.
    /// - Throws: as ``destroy(discardingUnsentChanges:)``; ``ConfigurationError`` with the problems of
    ///   `userstore.json`.
    public static func destroy(
        at folder: URL, options: Options = Options(), discardingUnsentChanges: Bool = false
    ) async throws -> UserRemoval {
        let configuration = ConfigurationFolder(
            reading: folder, registry: options.registry, environment: options.environment)
        // The places of the stores are unknown if the file cannot be read.
        try configuration.check(
            configuration[.user].storeProblems, in: .user, allowingNone: true)
        let removal = try removal(configuration, options)
        try await StoreRemoval.completeInterrupted(configuration, options)
        let leases = try removal.claimLeases()
        defer { for lease in leases { lease.release() } }
        if !discardingUnsentChanges { try requireNone(of: try await unsentChanges(configuration, options)) }
        return try await remove(removal, SessionRemoval(configuration, options))
    }

    private func requireNoUnsentChanges() async throws {
        try Self.requireNone(of: try await Self.unsentChanges(configuration, options, open: store))
    }

    private static func removal(_ configuration: ConfigurationFolder, _ options: Options) throws -> StoreRemoval {
        if let removal = try StoreRemoval(configuration, options) { return removal }
        throw SoupError(
            .notSupported, "the global store belongs to all users",
            hint: "Remove it with StoreFolder.remove(_:in:), after all clients are closed.")
    }

    private static func remove(
        _ removal: StoreRemoval, _ sessions: SessionRemoval
    ) async throws -> UserRemoval {
        let stores = removal.stores.filter(RemovalFolder.exists)
        if removal.isNeeded {
            let lock = try removal.decide()
            do {
                try await removal.complete(lock)
            } catch let error as SoupError where error.code == .storeUnusable {
                // The user is logged out even if a file stays.
                _ = try await sessions.end()
                throw error
            }
        }
        // The session is the last, so that an interrupted logout can be repeated.
        return UserRemoval(
            stores: stores.map { URL(filePath: $0, directoryHint: .notDirectory) }, kept: removal.places.kept,
            sessions: try await sessions.end())
    }
}
