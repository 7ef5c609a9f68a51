// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore
internal import Synchronization

/// The sync downs that write to each soup.
///
/// It is queried in every transaction that could remove an entry of another sync down, because syncs can be created and
/// deleted at any time. One-time syncs are ignored: they never clean ghosts, so no entry is kept for them.
final class SoupSharing: Sendable {
    /// The cached content of a row.
    private struct Known {
        /// The raw text of the members that determine the soups.
        var definition: [JSONText?]
        var soups: Soups
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
                switch self.soups(of: entry) {
                case .some(let theirs): theirs.intersection(soups)
                case .unknown: soups
                }
            for soup in theirs { others[soup, default: []].insert(entry.id) }
        }
        return others
    }

    private func soups(of entry: SoupEntry) -> Soups {
        var projected = JSONProjected()
        let bytes = entry.stored.bytes
        guard (try? JSONScanner.project(Self.members, from: bytes.span, in: 0..<bytes.count, into: &projected)) != nil
        else { return .unknown }
        let definition = projected.fields.map { JSONText.text(of: $0, in: bytes) }
        if let known = known.withLock({ $0[entry.id] }), known.definition == definition { return known.soups }
        let soups = read(entry)
        known.withLock { $0[entry.id] = Known(definition: definition, soups: soups) }
        return soups
    }

    private func read(_ entry: SoupEntry) -> Soups {
        if entry["type"]?.stringValue == SyncType.syncUp.rawValue { return .some([]) }
        guard let row = try? SyncRow(entry) else { return .unknown }
        if row.isOneShot { return .some([]) }
        let definition = row.state.definition
        // A sync whose target is not registered here still owns the entries that it fetched.
        let target = try? registry.downTarget(of: definition)
        return .some((target?.recordLayout(for: definition.soup).soups ?? []).union([definition.soup]))
    }
}
