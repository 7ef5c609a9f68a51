// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SmartStore
public import SoupCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Where a store is not what the files of a configuration folder want it to be.
public struct ConfigurationPlan: Sendable {
    /// What `migrate` of the store is to do: soups to make, and soups to give other indexes.
    public let migration: MigrationPlan
    /// The soups of the store that the file does not name, as warnings; migrating leaves them alone.
    public let surplus: [ConfigurationProblem]
}

extension SoupKit {
    /// Compares a store with what its files want.
    ///
    /// No soup is registered, and a store that is not there is not made; opening it finishes what a crash interrupted,
    /// as any opening does.
    ///
    /// - Throws: as ``openStore(configuration:scope:store:registry:clock:registersSoups:)``.
    public static func plan(
        configuration folder: String, scope: StoreScope = .user, store path: String? = nil,
        registry: PluginRegistry = .standard, clock: any SoupClock = SystemClock()
    ) async throws -> ConfigurationPlan {
        let configuration = ConfigurationFolder(reading: folder, registry: registry, environment: [:])
        let files = configuration[scope]
        try configuration.check(files.storeProblems, in: scope, allowingNone: path != nil)
        let soups = (files.store?.soups ?? []).map { ($0.name, $0.indexes) }
        if let file = configuration.storeFile(in: scope, at: path), !FileManager.default.fileExists(atPath: file) {
            let steps = soups.map { MigrationPlan.Step(soup: $0, present: nil, wanted: $1) }
            return ConfigurationPlan(migration: MigrationPlan(steps), surplus: [])
        }
        let store = try await openStore(
            configuration: folder, scope: scope, store: path, registry: registry, clock: clock, registersSoups: false)
        let plan = ConfigurationPlan(
            migration: try await store.migrationPlan(to: soups),
            surplus: try await ConfigurationDrift(configuration: files).surplus(of: store))
        try await store.close()
        return plan
    }
}
