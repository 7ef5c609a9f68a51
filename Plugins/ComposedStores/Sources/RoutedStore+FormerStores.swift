// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension RoutedStore {
    /// Checks the files of stores that an earlier configuration had.
    ///
    /// Their soups are removed if all entries came from a sync and have no local changes. The files stay.
    ///
    /// - Parameter stores: the open stores, by name.
    /// - Throws: ``SoupError`` with `storeUnusable` for a file with other entries, which exist only there, and for one
    ///   that cannot be opened.
    static func checkFormerStores(besides stores: [String: any StoreBackend], in context: StoreContext) async throws {
        // A store that is not durable has no file, but its name may be that of a former one.
        let durable = stores.filter { $0.value.capabilities.contains(.durable) }.keys
        let known = Set(durable.map { context.inner($0).path(configured: nil).lowercased() })
        for path in innerFiles(in: context) where !known.contains(path.lowercased()) {
            @Sendable func unusable(_ message: String, cause: (any Error)? = nil) -> SoupError {
                SoupError(
                    .storeUnusable, "no route leads to this store any more, and \(message)",
                    place: SoupError.Place(file: path),
                    hint:
                        "Restore the former routes, and sync up or export its entries. To lose them, remove the file.",
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
    }

    /// Returns the paths of the databases in the folder of the inner stores.
    private static func innerFiles(in context: StoreContext) -> [String] {
        let folder = StoreContext.innerFolder(ofFile: context.path(configured: nil))
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let companions = ["-wal", "-shm", "-syncs", "-journal", ".stores"]
        return files.filter { file in !companions.contains(where: file.hasSuffix) }.sorted().map { "\(folder)/\($0)" }
    }
}
