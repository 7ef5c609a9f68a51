// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSync
internal import SoupStore
internal import SoupCore

/// A comparison of the configuration files of a scope with a store that an earlier version of these files set up.
///
/// Opening a store never changes existing soups and syncs. A warning reports that an edit of a file had no effect.
struct ConfigurationDrift {
    let configuration: ScopeConfiguration

    /// - Returns: a warning for every soup of the store whose indexes differ from the configuration.
    func problems(of store: SmartStore) async throws -> [ConfigurationProblem] {
        var problems: [ConfigurationProblem] = []
        for (index, soup) in (configuration.store?.soups ?? []).enumerated() {
            guard try await store.soupExists(soup.name) else { continue }
            let stored = try await store.indexSpecs(of: soup.name)
            guard Set(stored) != Set(soup.indexes) else { continue }
            let missing = soup.indexes.filter { !stored.contains($0) }
            let surplus = stored.filter { !soup.indexes.contains($0) }
            let changes = [(missing, "missing"), (surplus, "not in the file")].filter { !$0.0.isEmpty }
                .map { specs, label in "\(label): \(specs.map(\.description).joined(separator: ", "))" }
            problems.append(
                ConfigurationProblem(
                    .warning, at: SoupError.Place(file: configuration.scope.storeFile, path: "soups[\(index)].indexes"),
                    "the indexes of soup \"\(soup.name)\" in the store differ from the file; "
                        + changes.joined(separator: "; "),
                    hint: "Run `soup migrate`, or call `migrate` of the store, to apply the indexes of the file."))
        }
        return problems
    }

    /// - Returns: a warning for every soup that the file does not name; none if there is no file, because the app then
    ///   creates its soups in code.
    func surplus(of store: SmartStore) async throws -> [ConfigurationProblem] {
        guard let named = configuration.store?.soups.map(\.name) else { return [] }
        let file = configuration.scope.storeFile
        return try await store.soupNames().filter { !named.contains($0) && !SoupName.reserved.contains($0) }.map {
            soup in
            let nearest = NameDistance.nearest(to: soup.rawValue, in: named.map(\.rawValue))
            return ConfigurationProblem(
                .warning, code: .badConfiguration, at: SoupError.Place(file: file, path: "soups"),
                "the store contains soup \"\(soup)\", which the file does not name"
                    + (nearest.map { "; the most similar name in the file is \"\($0)\"" } ?? ""),
                hint: "Run `soup soups --remove \(soup)`, or call `removeSoup` of the store, to remove it with its "
                    + "entries, or add it to the file.")
        }
    }

    /// - Parameter states: the store's syncs, one for each sync of the configuration.
    /// - Returns: a warning for every sync whose definition differs from the configuration.
    func problems(of states: [SyncState]) -> [ConfigurationProblem] {
        let stored = Dictionary(
            states.map { ($0.definition.name, $0.definition) }, uniquingKeysWith: { first, _ in first })
        return (configuration.syncs?.syncs ?? []).enumerated().compactMap { index, definition in
            guard let name = definition.name, let old = stored[name], old != definition else { return nil }
            let members = [
                ("syncType", old.type != definition.type), ("soupName", old.soup != definition.soup),
                ("target", old.target != definition.target), ("options", old.options != definition.options),
            ].filter(\.1).map(\.0)
            return ConfigurationProblem(
                .warning, at: SoupError.Place(file: configuration.scope.syncsFile, path: "syncs[\(index)]"),
                "the store runs sync \"\(name)\" as an earlier version of this file defined it; different members: "
                    + members.joined(separator: ", "),
                hint: "Run `soup sync \(name) --renew`, or call `redefine` of the sync manager, to use the definition "
                    + "of the file.")
        }
    }
}
