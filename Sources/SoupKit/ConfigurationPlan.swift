// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupStore
public import SoupCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The differences between a store and the files of its configuration folder.
public struct ConfigurationPlan: Sendable {
    /// The migration that `migrate` of the store would apply: soups to create, and soups whose indexes change.
    public let migration: MigrationPlan
    /// The soups of the store that the file does not name, as warnings; a migration does not change them.
    public let surplus: [ConfigurationProblem]
}

extension SoupClient {
    /// Compares a store with its configuration files.
    ///
    /// Registers no soups, and does not create a missing store. As with every opening, work that a crash interrupted is
    /// completed.
    ///
    /// - Parameters:
    ///   - folder: the file URL of the folder with the files.
    ///   - options: as for ``openStore(at:options:registersSoups:)``.
    /// - Throws: as ``openStore(at:options:registersSoups:)``.
    public static func plan(at folder: URL, options: Options = Options()) async throws -> ConfigurationPlan {
        let scope = options.scope
        let configuration = ConfigurationFolder(
            reading: folder, registry: options.registry, environment: [:])
        let files = configuration[scope]
        try configuration.check(files.storeProblems, in: scope, allowingNone: options.store != nil)
        let soups = (files.store?.soups ?? []).map { ($0.name, $0.indexes) }
        if configuration.lacksStoreFile(options) {
            let steps = soups.map { MigrationPlan.Step(soup: $0, present: nil, wanted: $1) }
            return ConfigurationPlan(migration: MigrationPlan(steps), surplus: [])
        }
        let store = try await openStore(at: folder, options: options, registersSoups: false)
        let plan = ConfigurationPlan(
            migration: try await store.migrationPlan(to: soups),
            surplus: try await ConfigurationDrift(configuration: files).surplus(of: store))
        try await store.close()
        return plan
    }
}
