// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension RoutedParts {
    /// - Throws: ``SoupError`` with `notSupported` for a store that cannot be composed, and for a durable store beside
    ///   a default store that is not durable.
    func requireComposable() throws {
        for part in stores where !part.store.capabilities.contains(.composable) {
            throw SoupError(
                .notSupported, "\(part.title) cannot be a part of another store",
                hint: "Use a backend that claims the capability composable, such as sqlite or memory.")
        }
        guard !stores[0].store.capabilities.contains(.durable) else { return }
        for part in stores where part.store.capabilities.contains(.durable) {
            throw SoupError(
                .notSupported,
                "\(stores[0].title) is not durable, and \(part.title) is: after the end of the process the syncs would have "
                    + "forgotten changes that they sent",
                hint: "Use a durable backend such as sqlite as the default store.")
        }
    }

    /// Removes the copies of soups from stores that are not theirs.
    ///
    /// - Throws: ``SoupError`` with `storeUnusable` if a copy has entries that no sync can fetch again.
    func checkPlaces() async throws {
        for (index, part) in stores.enumerated() {
            let misplaced = try await part.store.read { reader in
                try reader.soupNames().filter { self.place(of: $0) != index }.map { soup in
                    (soup: soup, isSyncs: SoupName.reserved.contains(soup), kept: try Self.keptCount(soup, in: reader))
                }
            }
            for (soup, isSyncs, kept) in misplaced {
                if isSyncs {
                    throw SoupError(
                        .storeUnusable, "\(part.title) contains syncs: it is the store of another configuration",
                        hint: "Use another path for it, or make it the default store.")
                }
                guard kept == 0 else {
                    throw SoupError(
                        .storeUnusable,
                        "the soup \"\(soup)\" is routed to \(stores[place(of: soup)].title), but \(part.title) has "
                            + "\(kept) entries of it that no sync can fetch again",
                        hint: "Restore the former routes, sync up or export these entries, and remove the soup.")
                }
            }
            let names = misplaced.map(\.soup)
            guard !names.isEmpty, !part.store.capabilities.contains(.readOnly) else { continue }
            try await part.store.write { writer in for soup in names { try writer.removeSoup(soup) } }
        }
    }

    /// Returns the number of entries that did not come from a sync, or that have local changes.
    static func keptCount(_ soup: SoupName, in reader: any StoreReader) throws -> Int {
        let flag = JSONPath(EntryField.syncId)
        guard try reader.indexSpecs(of: soup).contains(where: { $0.path == flag }) else {
            // Without the index, the entries of syncs are not known.
            return try reader.count(.all(soup))
        }
        return try reader.count(.all(soup)) - reader.cleanValues(at: flag, in: soup, writtenBy: nil).count
    }
}
