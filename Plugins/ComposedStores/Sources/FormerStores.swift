// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

package import SoupCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The files of stores that an earlier configuration had: SQLite databases in the folder of the additional stores.
package struct FormerStores: Sendable {
    /// The context of the store to which the additional ones belonged.
    let context: StoreContext
    /// The paths of the files that are in use.
    private let used: Set<String>

    /// - Parameters:
    ///   - context: the context of the whole store, with a registry that has the backend `sqlite`.
    ///   - used: the paths of the files that belong to a store of the configuration.
    package init(in context: StoreContext, besides used: [String] = []) {
        self.context = context
        self.used = Set(used.map(Self.resolved))
    }

    /// Checks these files.
    ///
    /// Their soups are removed if all entries came from a sync and have no local changes. The files stay.
    ///
    /// - Throws: ``SoupError`` with `storeUnusable` for a file with other entries, which exist only there, and for one
    ///   that cannot be opened.
    package func check() async throws {
        for path in files where !used.contains(Self.resolved(path)) && Self.isDatabase(path) { try await check(path) }
    }

    private func check(_ path: String) async throws {
        @Sendable func unusable(_ message: String, cause: (any Error)? = nil) -> SoupError {
            SoupError(
                .storeUnusable, "no route leads to this store any more, and \(message)",
                place: SoupError.Place(file: path),
                hint:
                    "Restore the former \"backend\" of the store configuration, and sync up or export its entries. To "
                    + "lose them, remove the file.",
                cause: cause)
        }
        var own = context
        own.file = URL(filePath: path, directoryHint: .notDirectory)
        let store: any StoreBackend
        do {
            store = try await own.open(StoreReference(type: "sqlite"))
        } catch {
            throw unusable("its file cannot be opened: \(error)", cause: error)
        }
        do {
            let soups = try await store.read { reader in
                try reader.soupNames().map { (soup: $0, kept: try RoutedParts.keptCount($0, in: reader)) }
            }
            if let first = soups.first(where: { $0.kept > 0 }) {
                throw unusable("its soup \"\(first.soup)\" has \(first.kept) entries that no sync can fetch again")
            }
            if !soups.isEmpty, !store.capabilities.contains(.readOnly) {
                try await store.write { writer in for soup in soups { try writer.removeSoup(soup.soup) } }
            }
            try await store.close()
        } catch {
            try? await store.close()
            throw error
        }
    }

    /// The paths of the files in the folder of the additional stores.
    private var files: [String] {
        let folder = StoreContext.innerFolder(ofFile: context.path(configured: nil))
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.sorted().map { "\(folder)/\($0)" }
    }

    /// Whether a file begins as every SQLite database does, or as an encrypted one; other files are not SoupKit's.
    ///
    /// The companion files of a database are not opened: closing them would release the locks that SQLite holds on them
    /// in this process.
    private static func isDatabase(_ path: String) -> Bool {
        guard !["-wal", "-shm", "-journal", "-syncs"].contains(where: path.hasSuffix) else { return false }
        guard let start = try? Data(contentsOf: URL(filePath: path), options: .mappedIfSafe).prefix(16) else {
            return false
        }
        return Array(start) == Array("SQLite format 3\0".utf8) || start.starts(with: EncryptedFileMark.bytes)
    }

    /// A path by which two names of one file are equal, also on a volume that ignores the case of letters.
    private static func resolved(_ path: String) -> String {
        URL(filePath: path).resolvingSymlinksInPath().filePath.lowercased()
    }
}
