// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSQLite
internal import SoupSync
internal import SoupCore

/// The store that receives an import, and the soups of its configuration.
struct ImportTarget: Sendable {
    let backend: any StoreBackend
    /// The soups that are registered with the specs of the configuration, whatever the specs in the database are.
    var soups: [(name: SoupName, specs: [IndexSpec])] = []
    /// The syncs of the configuration, and the registry with their targets.
    var syncs: ConfiguredSyncs?
    /// Whether the backend is an empty one in place of a store that does not exist yet.
    var isSubstitute = false

    /// Checks the store, and writes nothing.
    ///
    /// - Throws: ``SoupError`` as ``write(_:)`` does.
    func check(_ source: ImportSource) async throws {
        try requireCapabilities(for: source.soups)
        try await backend.read { reader in
            try requireEmpty(source.soups, in: reader)
            try requireIndexes(of: source.soups, in: reader)
        }
    }

    /// Imports the soups in one transaction.
    ///
    /// - Throws: ``SoupError``: `soupNotEmpty` if the store already has entries in one of the soups, or has run its
    ///   syncs; `notSupported` if it cannot keep the entries; `syncAlreadyRunning` while it is synced; the errors of
    ///   the source and of the store. `CancellationError`. In all cases nothing is written.
    func write(_ source: ImportSource) async throws {
        try requireCapabilities(for: source.soups)
        guard let lease = try await backend.claimSyncs() else {
            throw SoupError(
                .syncAlreadyRunning, "another process is syncing this store",
                hint: "Import when it has finished, into a store that was not synced before.")
        }
        defer { lease.release() }
        let cancellation = CancellationFlag()
        try await withTaskCancellationHandler {
            try await backend.write { writer in
                try requireEmpty(source.soups, in: writer)
                try requireIndexes(of: source.soups, in: writer)
                for soup in soups { try writer.registerSoup(soup.name, soup.specs) }
                for soup in source.soups {
                    try register(soup, in: writer)
                    try restore(soup, from: source.database, in: writer, cancellation)
                }
                try SyncsImport.noteSoups(source.soups.map(\.name).filter { $0 != SyncsImport.soup }, in: writer)
            }
        } onCancel: {
            cancellation.set()
        }
    }

    // MARK: Checks

    private func requireCapabilities(for soups: [MobileSDKDatabase.Soup]) throws {
        guard !backend.capabilities.contains(.readOnly) else {
            throw SoupError(
                .storeUnusable, "the store cannot be written",
                hint: "Check the permissions of its file and its folder.")
        }
        for soup in soups where !backend.capabilities(of: soup.name).contains(.restoring) {
            throw SoupError(
                .notSupported, "the store of soup \"\(soup.name)\" cannot keep the IDs and dates of imported entries",
                hint: "Use a backend with the capability restoring, such as sqlite.")
        }
    }

    private func requireEmpty(_ soups: [MobileSDKDatabase.Soup], in reader: any StoreReader) throws {
        let existing = Set(try reader.soupNames())
        var filled: [String] = []
        for soup in soups where existing.contains(soup.name) && soup.name != SyncsImport.soup {
            let count = try reader.count(.all(soup.name))
            if count > 0 { filled.append("\"\(soup.name)\" with \(count)") }
        }
        guard filled.isEmpty else {
            throw SoupError(
                .soupNotEmpty, "the store already has entries in soups to import: \(filled.joined(separator: ", "))",
                hint: "If this database was imported before, use the store as it is. Otherwise import into a new "
                    + "store, or leave soups out with --without, or the option excluded.")
        }
        if soups.contains(where: { $0.name == SyncsImport.soup }) {
            try SyncsImport.requireUnusedSyncs(in: reader)
        }
    }

    /// Checks the indexes of the soups that the import registers as the database describes them.
    private func requireIndexes(of soups: [MobileSDKDatabase.Soup], in reader: any StoreReader) throws {
        let known = Set(try reader.soupNames() + self.soups.map(\.name) + [SyncsImport.soup])
        for soup in soups where !known.contains(soup.name) {
            do {
                try IndexSpec.check(soup.specs, of: soup.name)
                let capabilities = backend.capabilities(of: soup.name)
                let kinds: [(IndexSpec.Kind, StoreCapability)] = [(.fullText, .fullText), (.json1, .json1)]
                for (kind, capability) in kinds where !capabilities.contains(capability) && !isSubstitute {
                    guard let spec = soup.specs.first(where: { $0.kind == kind }) else { continue }
                    throw SoupError(
                        .notSupported,
                        "the store has no \(kind.rawValue) indexes, such as the one on \"\(spec.path)\"")
                }
            } catch var error as SoupError {
                error.message = "soup \"\(soup.name)\" cannot have the indexes of the database: \(error.message)"
                error.hint =
                    "Register the soup with other indexes in the store's configuration, or leave it out with "
                    + "--without \(soup.name), or the option excluded."
                throw error
            }
        }
    }

    // MARK: Writing

    private func register(_ soup: MobileSDKDatabase.Soup, in writer: any StoreWriter) throws {
        if soup.name == SyncsImport.soup {
            try SyncsImport.prepare(in: writer, capabilities: backend.capabilities(of: soup.name))
        } else if try !writer.soupExists(soup.name) {
            try writer.registerSoup(soup.name, soup.specs)
        }
    }

    /// The number of entries that are in memory at a time.
    private static var pageSize: Int { 500 }

    private func restore(
        _ soup: MobileSDKDatabase.Soup, from database: MobileSDKDatabase, in writer: any StoreWriter,
        _ cancellation: CancellationFlag
    ) throws {
        var page: [MobileSDKDatabase.Entry] = []
        func flush() throws {
            try cancellation.check()
            try restore(page, in: soup.name, writer)
            page.removeAll(keepingCapacity: true)
        }
        try database.forEachEntry(of: soup) { entry in
            guard case .success(let entry) = entry else { return }
            page.append(entry)
            if page.count == Self.pageSize { try flush() }
        }
        try flush()
        // IDs of deleted entries are not assigned again.
        let last = SoupEntry(id: soup.lastId, version: 0, stored: .object([]))
        if soup.lastId > 0, try writer.retrieve([soup.lastId], from: soup.name).isEmpty {
            try writer.restore([last], in: soup.name)
            try writer.remove([soup.lastId], from: soup.name)
        }
    }

    /// Stores entries with both of their dates.
    ///
    /// A new entry's date of creation is its version, and a replaced entry keeps its date of creation.
    private func restore(
        _ entries: [MobileSDKDatabase.Entry], in soup: SoupName, _ writer: any StoreWriter
    ) throws {
        let texts = entries.map { entry in
            guard soup == SyncsImport.soup else { return entry.stored }
            return SyncsImport.row(entry.stored, as: syncs?.definition(of: entry.stored))
        }
        let created = zip(entries, texts).map { SoupEntry(id: $0.id, version: $0.created, stored: $1) }
        try writer.restore(created, in: soup)
        let changed = zip(entries, texts).filter { $0.0.created != $0.0.lastModified }.map { entry, text in
            SoupEntry(id: entry.id, version: entry.lastModified, stored: text)
        }
        if !changed.isEmpty { try writer.restore(changed, in: soup) }
    }
}
