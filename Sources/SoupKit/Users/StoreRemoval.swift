// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSQLite
internal import SoupCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The removal of everything that SoupKit stores for a user.
///
/// It has one moment of decision, ``decide()``: the folder of the user gets another name, or, without a user, a folder
/// beside the store is created. Before this moment nothing is changed. After it the stores are gone: the next opening
/// completes an interrupted removal before it creates an empty store. Keys are removed before files, so that encrypted
/// files are unreadable from then on.
struct StoreRemoval {
    let places: UserPlaces
    private let secrets: StoreSecrets
    /// Called before each change, with the path that is changed.
    ///
    /// A test throws here, like a process that was killed.
    var willChange: @Sendable (String) throws -> Void = { _ in }

    /// - Returns: nil for the global store, which belongs to no user.
    /// - Throws: as ``UserPlaces/init(_:_:)``.
    init?(_ configuration: ConfigurationFolder, _ options: SoupClient.Options) throws {
        guard options.scope == .user else { return nil }
        places = try UserPlaces(configuration, options)
        secrets = try StoreSecrets(of: places.keys, configuration, options)
    }

    /// Completes the removals that were interrupted in the folder of some options.
    ///
    /// The removal of the whole user scope concerns each named store, and a user who logged out may never return. Those
    /// of other users are completed if that is possible now.
    ///
    /// - Throws: ``SoupError`` with `storeUnusable` while another process removes the stores, and the errors of
    ///   ``complete(_:)``.
    static func completeInterrupted(
        _ configuration: ConfigurationFolder, _ options: SoupClient.Options
    ) async throws {
        var whole = options
        (whole.scope, whole.store) = (.user, nil)
        if options.scope == .user {
            try await complete(configuration, whole)
            if options.user == nil, options.store != nil { try await complete(configuration, options) }
        }
        for user in configuration.stores(options).usersBeingRemoved() where user != options.user {
            whole.user = user
            try? await complete(configuration, whole)
        }
    }

    private static func complete(_ configuration: ConfigurationFolder, _ options: SoupClient.Options) async throws {
        guard RemovalFolder.exists(try UserPlaces.marker(configuration, options)),
            let removal = try StoreRemoval(configuration, options),
            // The removal can have ended in the meantime.
            let lock = try RemovalFolder.lock(removal.places.marker)
        else { return }
        try await removal.complete(lock)
    }

    /// Claims the leases of all stores, so that no process can sync them any more.
    ///
    /// - Throws: ``SoupError`` with `storeUnusable` if a process is syncing one of them.
    func claimLeases() throws -> [SyncLease] {
        try stores.map { try SQLiteStore.claimForRemoval(at: URL(filePath: $0, directoryHint: .notDirectory)) }
    }

    /// Makes the removal permanent; ``complete(_:)`` must follow.
    ///
    /// - Returns: the lock of the removal.
    func decide() throws -> SyncLease {
        if let folder = places.ownFolder, let lock = try RemovalFolder.lock(folder) {
            do {
                try willChange(folder)
                try RemovalFolder.rename(folder, to: places.marker)
                return lock
            } catch {
                lock.release()
                throw error
            }
        }
        try willChange(places.marker)
        try RemovalFolder.make(places.marker)
        guard let lock = try RemovalFolder.lock(places.marker) else { throw RemovalFolder.isBusy(places.marker) }
        return lock
    }

    /// Removes everything after ``decide()``.
    ///
    /// - Throws: the errors of a key provider, and ``SoupError`` with `storeUnusable` if a file cannot be removed. The
    ///   stores are gone nevertheless, and a repetition removes the rest.
    func complete(_ lock: SyncLease) async throws {
        defer { lock.release() }
        try await removeContents()
    }

    /// Whether the user has anything that can be removed.
    var isNeeded: Bool {
        ([places.ownFolder, places.filesFolder].compactMap { $0 } + places.files.map { $0 + ".key" })
            .contains(where: RemovalFolder.exists) || !stores.isEmpty
    }

    /// The files of all stores that exist or have a lock file, in ascending order.
    var stores: [String] {
        let own = places.ownFolder.map { folder in
            Set(RemovalFolder.files(in: folder).compactMap(Self.store)).map { "\(folder)/\($0)" }
        }
        let others = (places.files + [places.main].compactMap { $0 }).filter(Self.exists)
        return Set(own ?? []).union(others).sorted()
    }

    private func removeContents() async throws {
        if let folder = places.ownFolder {
            for file in RemovalFolder.files(in: places.marker) where !StoreSecrets.isCompanion(file) {
                // A provider can keep the key beside the file, which was moved, or under the name of the file.
                try await removeSecret(of: "\(places.marker)/\(file)")
                // A store that was created after the removal has the key of its name.
                guard !RemovalFolder.exists("\(folder)/\(file)") else { continue }
                try await removeSecret(of: "\(folder)/\(file)")
            }
            for store in keyValueStores(in: places.marker) where !RemovalFolder.exists("\(folder)/\(store)") {
                try await removeSecret(of: "\(folder)/\(store)")
            }
        }
        for file in places.files {
            for store in StoreSecrets.files(ofStore: file) { try await removeSecret(of: store) }
        }
        for file in places.files {
            try willChange("\(file).key")
            try RemovalFolder.removeKeyFiles(of: file)
            try willChange(file)
            try SQLiteStore.removeFiles(at: URL(filePath: file, directoryHint: .notDirectory), withLock: true)
        }
        if let folder = places.filesFolder, RemovalFolder.exists(folder) {
            for store in keyValueStores(in: folder) { try await removeSecret(of: "\(folder)/\(store)") }
            try willChange(folder)
            try RemovalFolder.rename(folder, to: "\(places.marker)/files")
        }
        try RemovalFolder.remove(places.marker, willRemove: willChange)
    }

    /// Returns the folders of key-value stores, relative to a folder.
    private func keyValueStores(in folder: String) -> [String] {
        let parts = RemovalFolder.files(in: folder).map { $0.split(separator: "/") }
        let stores = parts.compactMap { parts -> String? in
            guard let index = parts.firstIndex(of: "key_value_stores"), index + 2 < parts.count else { return nil }
            return parts[...(index + 1)].joined(separator: "/")
        }
        return Set(stores).sorted()
    }

    private func removeSecret(of file: String) async throws {
        if !places.keys.isEmpty { try willChange(file) }
        try await secrets.remove(of: file)
    }

    private static func exists(_ file: String) -> Bool {
        ["", "-syncs", ".stores"].contains { RemovalFolder.exists(file + $0) }
    }

    /// Returns the store to which a file belongs; nil for a file that is not beside a store.
    private static func store(_ file: String) -> String? {
        if file.hasSuffix("-syncs") { return String(file.dropLast(6)) }
        return file.hasSuffix(".db") && !file.contains(".db.stores/") ? file : nil
    }
}
