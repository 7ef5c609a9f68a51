// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupMemory
public import SoupStore
internal import SoupCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension SoupClient {
    /// Imports a SmartStore database of Salesforce Mobile SDK into the store of a configuration folder.
    ///
    /// The file must be plain, so decrypt it first. It is not changed, and no other program may write to it meanwhile.
    /// The store gets all soups with their entries, IDs, dates and local changes, and the syncs with their high-water
    /// marks, so that the next sync continues where the app stopped. A sync whose status is RUNNING becomes STOPPED.
    ///
    /// The import is one transaction: if the process ends before this method returns, the same call imports everything.
    /// A soup of the configuration gets the indexes of the configuration, any other soup those of the database. Call it
    /// before the first ``open(at:options:)``, or at least before the first sync.
    ///
    /// ```swift
    /// let file = URL(filePath: "/tmp/plain.db")
    /// let result = try await SoupClient.importSmartStore(file, at: URL(filePath: "Config"))
    /// print(result.soups.map { "\($0.name): \($0.entries) entries, \($0.unsent) not sent" })
    /// ```
    ///
    /// - Parameters:
    ///   - file: the database; a log (`-wal`) or a journal (`-journal`) beside it is read, too.
    ///   - folder: the file URL of the folder with the files, as for ``open(at:options:)``.
    ///   - options: `scope`, `store`, `user`, `storeFolder`, `registry` and `clock` are used.
    ///   - importing: the options of the import, such as a dry run.
    /// - Returns: the numbers of imported entries.
    /// - Throws: ``SoupError``: `importEncrypted`, `importUnusable`; `entryUnreadable` for entries whose text is
    ///   missing or no JSON object; `soupNotEmpty` if the store already has entries in one of the soups, for example
    ///   because the database was imported before; `notSupported` if the store cannot keep the entries; those of the
    ///   store. ``ConfigurationError`` with the problems of the store's file; `CancellationError`. In all cases nothing
    ///   is imported.
    public static func importSmartStore(
        _ file: URL, at folder: URL, options: Options = Options(), importing: SmartStoreImport.Options = .init()
    ) async throws -> SmartStoreImport {
        let (scope, registry, clock) = (options.scope, options.registry, options.clock)
        let configuration = ConfigurationFolder(reading: folder, registry: registry, environment: [:])
        try configuration.check(configuration[scope].storeProblems, in: scope, allowingNone: options.store != nil)
        let source = try await ImportSource.open(file, importing)
        defer { source.close() }
        let isMissing = importing.isDryRun && configuration.lacksStoreFile(options)
        let backend: any StoreBackend =
            isMissing
            ? MemoryStore(clock: clock)
            : try await configuration.openBackend(options)
        do {
            let files = configuration[scope]
            let target = ImportTarget(
                backend: backend, soups: (files.store?.soups ?? []).map { ($0.name, $0.indexes) },
                syncs: ConfiguredSyncs(definitions: files.syncs?.syncs ?? [], registry: registry),
                isSubstitute: isMissing)
            if importing.isDryRun { try await target.check(source) } else { try await target.write(source) }
            try await backend.close()
        } catch {
            try? await backend.close()
            throw error
        }
        return source.content
    }
}

extension SmartStore {
    /// Imports a SmartStore database of Salesforce Mobile SDK into this store, which stays open.
    ///
    /// It does the same as ``SoupClient/importSmartStore(_:at:options:importing:)``, without a configuration. Soups
    /// that are already registered keep their indexes, and the definitions of syncs keep the form of the database.
    /// No sync of the store may have run before.
    ///
    /// - Returns: the numbers of imported entries.
    /// - Throws: ``SoupError`` and `CancellationError`, as that method does; nothing is imported then.
    public func importSmartStore(
        _ file: URL, importing: SmartStoreImport.Options = .init()
    ) async throws -> SmartStoreImport {
        let source = try await ImportSource.open(file, importing)
        defer { source.close() }
        let target = ImportTarget(backend: backend)
        if importing.isDryRun { try await target.check(source) } else { try await target.write(source) }
        return source.content
    }
}
