// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore
internal import Synchronization

/// Which sync downs write to which soups.
///
/// Asked in every transaction that could take an entry from one sync down for another, because syncs are created and
/// deleted at any time.
final class SoupSharing: Sendable {
    private struct Known {
        var definition: SyncDefinition
        var soups: Set<SoupName>
    }

    private let registry: PluginRegistry
    /// What the definitions said; making a target to ask it for its soups costs more than reading its row.
    private let known = Mutex<[Int64: Known]>([:])

    init(registry: PluginRegistry) { self.registry = registry }

    /// The sync downs that there are besides one, by the soups that they write to.
    func others(than syncId: Int64, in reader: any StoreReader) throws -> [SoupName: Set<Int64>] {
        var others: [SoupName: Set<Int64>] = [:]
        for row in try SyncsSoup.rows(in: reader) where row.state.id != syncId {
            let definition = row.state.definition
            guard definition.type == .syncDown else { continue }
            for soup in soups(of: definition, row.state.id) { others[soup, default: []].insert(row.state.id) }
        }
        return others
    }

    private func soups(of definition: SyncDefinition, _ id: Int64) -> Set<SoupName> {
        if let known = known.withLock({ $0[id] }), known.definition == definition { return known.soups }
        // A sync whose target is not registered here still brought what it brought.
        let target = try? registry.downTarget(of: definition)
        let soups = Set(target?.recordLayout(for: definition.soup).parts.map(\.soup) ?? []).union([definition.soup])
        known.withLock { $0[id] = Known(definition: definition, soups: soups) }
        return soups
    }
}
