// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore
internal import Synchronization

/// Which sync downs write to which soups.
///
/// Asked in every transaction that could take an entry from one sync down for another, because syncs are created and
/// deleted at any time. A sync for one time never cleans ghosts, so that nothing is kept for it.
final class SoupSharing: Sendable {
    /// What a row says of itself.
    private struct Known {
        /// The members that matter, as they are written.
        var definition: [JSONText?]
        var soups: Soups
    }

    /// The soups of a sync down.
    private enum Soups {
        case some(Set<SoupName>)
        /// Nobody can tell: the row cannot be read, and what it brought is its own all the same.
        case unknown
    }

    private let registry: PluginRegistry
    /// What the rows said; reading one costs more than comparing its bytes, and making its target still more.
    private let known = Mutex<[Int64: Known]>([:])
    private static let members = JSONProjection(["type", "soupName", "target", "options", "oneShot"])

    init(registry: PluginRegistry) { self.registry = registry }

    /// The sync downs that there are besides one and that write to a soup.
    func others(than syncId: Int64, of soup: SoupName, in reader: any StoreReader) throws -> Set<Int64> {
        try others(than: syncId, of: [soup], in: reader)[soup] ?? []
    }

    /// The sync downs that there are besides one, by those of some soups that they write to.
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
        // A sync whose target is not registered here still brought what it brought.
        let target = try? registry.downTarget(of: definition)
        return .some((target?.recordLayout(for: definition.soup).soups ?? []).union([definition.soup]))
    }
}
