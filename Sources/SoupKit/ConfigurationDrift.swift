// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSync
internal import SoupStore
internal import SoupCore

/// Compares the configuration files of a scope with a store that an earlier version of these files set up.
///
/// Opening a store never changes existing soups and syncs. A warning tells the user that an edit of a file had no
/// effect.
struct ConfigurationDrift {
    let configuration: ScopeConfiguration

    /// - Parameter store: contains all soups of the configuration.
    /// - Returns: a warning for every soup whose indexes differ from the configuration.
    func problems(of store: SmartStore) async throws -> [ConfigurationProblem] {
        var problems: [ConfigurationProblem] = []
        for (index, soup) in (configuration.store?.soups ?? []).enumerated() {
            let stored = try await store.indexSpecs(of: soup.name)
            guard Set(stored) != Set(soup.indexes) else { continue }
            let missing = soup.indexes.filter { !stored.contains($0) }
            let surplus = stored.filter { !soup.indexes.contains($0) }
            let changes = [(missing, "lacks"), (surplus, "has besides")].filter { !$0.0.isEmpty }
                .map { specs, verb in "\(verb) \(specs.map(\.description).joined(separator: ", "))" }
            problems.append(
                ConfigurationProblem(
                    .warning, at: Place(file: configuration.scope.storeFile, path: "soups[\(index)].indexes"),
                    "the store has soup \"\(soup.name)\" with other indexes: it \(changes.joined(separator: " and "))",
                    hint: "`soup migrate`, or `migrate` of the store, gives it the indexes of the file."))
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
                .warning, .badConfiguration, at: Place(file: file, path: "soups"),
                "the store has soup \"\(soup)\", which the file does not name"
                    + (nearest.map { "; it has \"\($0)\"" } ?? ""),
                hint: "`soup soups --remove \(soup)`, or `removeSoup` of the store, removes it with its entries.")
        }
    }

    /// - Parameter states: the store's syncs, one for each sync of the configuration.
    /// - Returns: a warning for every sync whose definition differs from the configuration.
    func problems(of states: [SyncState]) -> [ConfigurationProblem] {
        let stored = Dictionary(
            states.map { ($0.definition.name, $0.definition) }, uniquingKeysWith: { first, _ in first })
        return (configuration.syncs?.syncs ?? []).enumerated().compactMap { index, definition in
            guard let name = definition.name, let old = stored[name], old != definition else { return nil }
            let parts = [
                ("syncType", old.type != definition.type), ("soupName", old.soup != definition.soup),
                ("target", old.target != definition.target), ("options", old.options != definition.options),
            ].filter(\.1).map(\.0)
            return ConfigurationProblem(
                .warning, at: Place(file: configuration.scope.syncsFile, path: "syncs[\(index)]"),
                "the store has sync \"\(name)\" from an earlier version of this file, which differs in "
                    + "\(parts.joined(separator: ", ")), and runs that one",
                hint: "`soup sync \(name) --renew`, or `redefine` of the sync manager, makes it the one of the file.")
        }
    }
}
