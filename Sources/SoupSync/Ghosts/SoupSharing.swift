// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore
internal import Synchronization

/// The sync downs that write to each soup, and the trees of all syncs.
///
/// It is queried in every transaction that could remove an entry of another sync down, because syncs can be created and
/// deleted at any time. One-time syncs are ignored: they never clean ghosts, so no entry is kept for them.
final class SoupSharing: Sendable {
    /// The cached content of a row.
    private struct Known {
        /// The raw text of the members that determine the soups.
        var definition: [JSONText?]
        var content: Content
    }

    private struct Content {
        var soups: Soups
        /// The links of the sync's layout, up or down; nil if its target is unknown.
        var links: RecordLayout?
    }

    /// The soups that a sync down writes to.
    private enum Soups {
        case some(Set<SoupName>)
        /// The row is unreadable, so the sync is assumed to write to every soup.
        case unknown
    }

    private let registry: PluginRegistry
    /// The cached rows; comparing bytes is cheaper than parsing a row and making its target.
    private let known = Mutex<[Int64: Known]>([:])
    private static let members = JSONProjection(["type", "soupName", "target", "options", "oneShot"])

    init(registry: PluginRegistry) { self.registry = registry }

    /// Returns the other sync downs that write to a soup.
    func others(than syncId: Int64, of soup: SoupName, in reader: any StoreReader) throws -> Set<Int64> {
        try others(than: syncId, of: [soup], in: reader)[soup] ?? []
    }

    /// Returns the other sync downs that write to the given soups, by soup.
    func others(
        than syncId: Int64, of soups: Set<SoupName>, in reader: any StoreReader
    ) throws -> [SoupName: Set<Int64>] {
        var others: [SoupName: Set<Int64>] = [:]
        for entry in try reader.allEntries(.all(SyncsSoup.name, pageSize: 1000)) where entry.id != syncId {
            let theirs =
                switch content(of: entry).soups {
                case .some(let theirs): theirs.intersection(soups)
                case .unknown: soups
                }
            for soup in theirs { others[soup, default: []].insert(entry.id) }
        }
        return others
    }

    /// Returns the links of the syncs, up and down, in whose trees records of the soup have children.
    func trees(of soup: SoupName, in reader: any StoreReader) throws -> Set<RecordLayout> {
        let trees = try reader.allEntries(.all(SyncsSoup.name, pageSize: 1000)).compactMap { content(of: $0).links }
        return Set(
            trees.filter { tree in
                tree.levels.indices.contains { tree.levels[$0].soup == soup && !tree.children(of: $0).isEmpty }
            })
    }

    private func content(of entry: SoupEntry) -> Content {
        var projected = JSONProjected()
        let bytes = entry.stored.bytes
        guard (try? JSONScanner.project(Self.members, from: bytes.span, in: 0..<bytes.count, into: &projected)) != nil
        else { return Content(soups: .unknown) }
        let definition = projected.fields.map { JSONText.text(of: $0, in: bytes) }
        if let known = known.withLock({ $0[entry.id] }), known.definition == definition { return known.content }
        let content = read(entry)
        known.withLock { $0[entry.id] = Known(definition: definition, content: content) }
        return content
    }

    private func read(_ entry: SoupEntry) -> Content {
        let row = try? SyncRow(entry)
        let definition = row?.state.definition
        if entry["type"]?.stringValue == SyncType.syncUp.rawValue {
            let target = definition.flatMap { try? registry.upTarget(of: $0) }
            return Content(
                soups: .some([]), links: definition.flatMap { target?.recordLayout(for: $0.soup).links })
        }
        guard let row, let definition else { return Content(soups: .unknown) }
        // A sync whose target is not registered here still owns the entries that it fetched.
        let layout = (try? registry.downTarget(of: definition))?.recordLayout(for: definition.soup)
        let soups = (layout?.soups ?? []).union([definition.soup])
        return Content(soups: .some(row.isOneShot ? [] : soups), links: layout?.links)
    }
}
