// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The identities of soups, to find those that were replaced.
///
/// The entries of a soup in memory are gone after a restart, and those of a soup that was removed, or routed to another
/// store, are gone too, while the rows of the engine are durable: a sync would continue from its high-water mark and
/// never fetch the earlier records, and notes about an entry would apply to another one with the same ID.
enum SoupGenerations {
    private static let table = EngineTable(soup: "syncs_generations")

    /// Forgets what the engine knows about the entries of those soups that were replaced, and records their identities.
    ///
    /// The syncs that fetch into such a soup begin from the beginning again. Notes about its entries are removed.
    ///
    /// - Parameter isDurable: whether a soup's entries survive the end of the process.
    static func forgetReplaced(
        _ soups: Set<SoupName>, sharing: SoupSharing, in writer: any StoreWriter,
        where isDurable: (SoupName) -> Bool
    ) throws {
        let recorded = try table.entries(of: soups.map(\.rawValue), in: writer)
        for soup in soups.sorted() where try writer.soupExists(soup) {
            let known = recorded[soup.rawValue]?["generation"]?.stringValue
            let now = try writer.generation(of: soup)
            guard known != now, !now.isEmpty else { continue }
            // A durable soup that is not recorded yet was filled by the syncs so far.
            if known != nil || !isDurable(soup) { try forget(soup, sharing: sharing, in: writer) }
            try table.set([(key: soup.rawValue, members: [("generation", .string(now))])], in: writer)
        }
    }

    /// Records the identities of soups whose entries belong to the marks of the syncs.
    static func note(_ soups: [SoupName], in writer: any StoreWriter) throws {
        let rows = try soups.map { (soup: $0, generation: try writer.generation(of: $0)) }
        try table.set(
            rows.filter { !$0.generation.isEmpty }.map {
                (key: $0.soup.rawValue, members: [("generation", .string($0.generation))])
            }, in: writer)
    }

    private static func forget(_ soup: SoupName, sharing: SoupSharing, in writer: any StoreWriter) throws {
        let syncs = try sharing.others(than: 0, of: soup, in: writer)
        for var row in try SyncsSoup.rows(in: writer) where syncs.contains(row.state.id) {
            row.restart()
            try SyncsSoup.save(row, in: writer)
        }
        for id in syncs {
            for ownership in try EntryOwners.ownerships(of: id, in: soup, writer) {
                try EntryOwners.remove(ownership.key, in: writer)
            }
        }
        try InFlightCreates.clear(try InFlightCreates.marks(of: [soup], in: writer).map(\.key), in: writer)
        try ConflictStore.clear(
            try ConflictStore.notes(in: writer).map(\.key).filter { $0.soup == soup }, in: writer)
    }
}
