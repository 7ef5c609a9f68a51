// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupSync
internal import SoupMemory
internal import SoupStore
internal import SoupCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension SoupClient {
    /// Returns what the next runs of syncs would do, without doing it: nothing is created or written.
    ///
    /// A store file that does not exist yet counts as an empty store.
    ///
    /// - Parameters:
    ///   - names: the syncs; one that the store does not have is taken from the configuration.
    ///   - options: as for ``open(at:options:)``.
    /// - Throws: ``ConfigurationError`` with the problems of the files; ``SoupError``: `syncNotFound`, and those of the
    ///   store. Errors of the server are in the previews.
    /// - Returns: the previews in the order of `names`, and the configuration.
    public static func previews(
        of names: [String], at folder: URL, options: Options = Options()
    ) async throws -> (previews: [SyncPreview], configuration: ConfigurationFolder) {
        let (scope, registry, clock) = (options.scope, options.registry, options.clock)
        let configuration = ConfigurationFolder(
            reading: folder, registry: registry, environment: options.environment)
        let files = configuration[scope]
        try configuration.check(
            files.problems + configuration.orgProblems, in: scope, allowingNone: options.store != nil,
            logger: options.logger)
        let file = configuration.storeFile(in: scope, at: options.store)
        let backend: any StoreBackend
        if let file, !FileManager.default.fileExists(atPath: file.filePath) {
            backend = MemoryStore(clock: clock)
        } else {
            backend = try await configuration.openBackend(
                scope, at: options.store, registry: registry, clock: clock)
        }
        do {
            let connection = try configuration.connection(
                over: options.transport, network: options.network, registry: registry, clock: clock,
                renewed: options.renewed)
            let connections = try configuration.namedConnections(options)
            let stored = try await SyncManager.states(in: backend).map(\.definition)
            var previews: [SyncPreview] = []
            for name in names {
                let known = stored + (files.syncs?.syncs ?? [])
                guard let definition = known.first(where: { $0.name == name }) else {
                    throw SoupError(
                        .syncNotFound, "there is no sync named \"\(name)\"",
                        hint: NameDistance.question(for: name, among: Set(known.compactMap(\.name)).sorted()))
                }
                previews.append(
                    try await SyncManager.preview(
                        definition, in: backend, registry: registry, connection: connection, connections: connections,
                        clock: clock, logger: options.logger))
            }
            try await backend.close()
            return (previews, configuration)
        } catch {
            try? await backend.close()
            throw error
        }
    }
}
