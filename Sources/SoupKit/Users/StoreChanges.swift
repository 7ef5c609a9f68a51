// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupSync
internal import SoupStore
public import SoupCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The changes in one store of a user that were not sent.
public struct StoreChanges: Sendable, Hashable, CustomStringConvertible {
    /// The file of the store; nil for a store without a file.
    public var file: URL?
    /// The soups with such changes; not empty.
    public var soups: [UnsentChanges]

    /// Creates a value; for tests.
    public init(file: URL?, soups: [UnsentChanges]) {
        self.file = file
        self.soups = soups
    }

    /// The file's name and the soups: `userstore.db: contacts (3)`.
    public var description: String {
        (file.map { "\($0.lastPathComponent): " } ?? "") + soups.map(\.description).joined(separator: ", ")
    }
}

extension SoupClient {
    /// Returns the changes of a user that were not sent: those that ``destroy(at:options:discardingUnsentChanges:)``
    /// would lose.
    ///
    /// The stores are opened, and must not be in use by a sync: a creation that is being sent counts as one with an
    /// unknown outcome. Stores with a path of their own that only the app's code opens are not found.
    ///
    /// - Parameters:
    ///   - folder: the file URL of the folder with the files.
    ///   - options: as for ``destroy(at:options:discardingUnsentChanges:)``.
    /// - Returns: the stores with such changes.
    /// - Throws: ``SoupError`` with `localChanges` for a store that cannot be opened; ``ConfigurationError``.
    public static func unsentChanges(at folder: URL, options: Options = Options()) async throws -> [StoreChanges] {
        let configuration = ConfigurationFolder(reading: folder, registry: options.registry, environment: [:])
        return try await unsentChanges(configuration, options)
    }

    /// - Parameter open: an open store of the options, which is not opened again.
    static func unsentChanges(
        _ configuration: ConfigurationFolder, _ options: Options, open: SmartStore? = nil
    ) async throws -> [StoreChanges] {
        var counted: Set<String> = []
        var found: [StoreChanges] = []
        func count(in file: URL?, _ changes: () async throws -> [UnsentChanges]) async throws {
            if let file, !counted.insert(StoreContext.absolute(file.filePath)).inserted { return }
            let soups = try await changes()
            if !soups.isEmpty { found.append(StoreChanges(file: file, soups: soups)) }
        }
        func count(_ options: Options) async throws {
            guard !configuration.lacksStoreFile(options) else { return }
            let file = configuration.storeFile(options)
            try await count(in: file) { try await changes(configuration, options, in: file) }
        }
        if let open {
            try await count(in: configuration.storeFile(options)) {
                try await SyncManager.unsentChanges(in: open.backend)
            }
        } else {
            try await count(options)
        }
        guard options.store == nil || options.user != nil else { return found }
        var others = options
        others.store = nil
        try await count(others)
        let stores = configuration.stores(options)
        for name in try stores.names(in: options.scope) {
            others.store = try stores.file(of: name, in: options.scope)
            try await count(others)
        }
        return found
    }

    private static func changes(
        _ configuration: ConfigurationFolder, _ options: Options, in file: URL?
    ) async throws -> [UnsentChanges] {
        let backend: any StoreBackend
        do {
            backend = try await configuration.openBackend(options)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw SoupError(
                .localChanges, "the store cannot be opened to look for changes that were not sent: \(error)",
                place: file.map { SoupError.Place(file: $0.filePath) },
                hint: "To lose such changes, discard them explicitly.", cause: error)
        }
        do {
            let changes = try await SyncManager.unsentChanges(in: backend)
            try await backend.close()
            return changes
        } catch {
            try? await backend.close()
            throw error
        }
    }

    /// Throws if there are changes that a removal would lose.
    static func requireNone(of changes: [StoreChanges]) throws {
        guard !changes.isEmpty else { return }
        throw SoupError(
            .localChanges,
            "changes that were not sent would be lost: \(changes.map(\.description).joined(separator: "; "))",
            hint: "Run a sync up first, or discard the changes explicitly.")
    }
}

extension SoupError.Code {
    /// Entries have changes that were not sent.
    public static let localChanges: Self = "localChanges"
}
