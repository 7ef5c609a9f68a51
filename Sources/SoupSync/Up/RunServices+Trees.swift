// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A level of a tree that a sync up pushes.
struct TreePlace: Sendable, Hashable {
    var layout: RecordLayout
    var level: Int
}

extension RunServices {
    /// Returns the trees and the single soups that sync ups push, in the order of the syncs.
    ///
    /// Layouts whose soups or parent indexes do not exist are left out, because their sync ups cannot run.
    ///
    /// - Parameter others: the layouts of further sync ups, which the store may not know yet.
    func pushedLayouts(and others: [RecordLayout] = []) async throws -> [RecordLayout] {
        let registry = registry
        return try await backend.read { reader in
            // A preview of a store that has not been opened with its syncs yet.
            let rows = try reader.soupExists(SyncsSoup.name) ? try SyncsSoup.rows(in: reader) : []
            let definitions = rows.map(\.state.definition).filter { $0.type == .syncUp }
            let layouts = definitions.compactMap {
                try? registry.upTarget(of: $0).recordLayout(for: $0.soup)
            }
            let others = others.filter { !layouts.contains($0) }
            return try (layouts + others).filter { layout in
                try layout.levels.allSatisfy { level in
                    guard try reader.soupExists(level.soup) else { return false }
                    guard let field = level.parentIdField else { return true }
                    return try reader.indexSpecs(of: level.soup).contains { $0.path.rawValue == field }
                }
            }
        }
    }
}

extension [RecordLayout] {
    /// Returns the places at which the soups of a layout have children in these trees, apart from the layout itself.
    func places(beside layout: RecordLayout) -> [SoupName: [TreePlace]] {
        var places: [SoupName: Set<TreePlace>] = [:]
        for tree in self where tree.isTree && tree != layout {
            for (position, level) in tree.levels.enumerated() where !tree.children(of: position).isEmpty {
                guard layout.levels.contains(where: { $0.soup == level.soup && $0.idField == level.idField }) else {
                    continue
                }
                places[level.soup, default: []].insert(TreePlace(layout: tree, level: position))
            }
        }
        return places.mapValues { $0.map(\.self) }
    }
}
