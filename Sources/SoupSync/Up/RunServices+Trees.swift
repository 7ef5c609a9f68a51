// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A part of a tree that a sync up pushes.
struct TreePlace: Sendable, Hashable {
    var layout: RecordLayout
    var part: Int
}

extension RunServices {
    /// Returns the trees that sync ups push, in the order of the syncs.
    ///
    /// Trees whose soups or parent indexes do not exist are left out, because their sync ups cannot run.
    func pushedTrees() async throws -> [RecordLayout] {
        let registry = registry
        return try await backend.read { reader in
            let definitions = try SyncsSoup.rows(in: reader).map(\.state.definition).filter { $0.type == .syncUp }
            let layouts = definitions.compactMap {
                try? registry.upTarget(of: $0).recordLayout(for: $0.soup)
            }
            return try layouts.filter { layout in
                guard layout.isTree else { return false }
                return try layout.parts.allSatisfy { part in
                    guard try reader.soupExists(part.soup) else { return false }
                    guard let field = part.parentIdField else { return true }
                    return try reader.indexSpecs(of: part.soup).contains { $0.path.rawValue == field }
                }
            }
        }
    }

    /// Returns the places at which the soups of a layout have children in the trees of other sync ups.
    func otherTrees(beside layout: RecordLayout) async throws -> [SoupName: [TreePlace]] {
        var places: [SoupName: Set<TreePlace>] = [:]
        for tree in try await pushedTrees() where tree != layout {
            for (position, part) in tree.parts.enumerated() where !tree.children(of: position).isEmpty {
                guard layout.parts.contains(where: { $0.soup == part.soup && $0.idField == part.idField }) else {
                    continue
                }
                places[part.soup, default: []].insert(TreePlace(layout: tree, part: position))
            }
        }
        return places.mapValues(Array.init)
    }
}
