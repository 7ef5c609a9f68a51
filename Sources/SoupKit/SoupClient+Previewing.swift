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
    /// Returns what the next runs of syncs would do, without doing it: no soup, sync or record is created or changed.
    ///
    /// The targets of sync ups are asked to push, over a transport that sends nothing. A store file that does not exist
    /// yet counts as an empty store. Values of headers and parameters whose names mean a secret are replaced by `***`,
    /// also those that a target takes from its own configuration.
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
        let configuration = try configuration(at: folder, options)
        let backend: any StoreBackend =
            configuration.lacksStoreFile(options)
            ? MemoryStore(clock: clock)
            : try await configuration.openBackend(options)
        do {
            let connections = try configuration.connections(options)
            let stored = try await SyncManager.states(in: backend).map(\.definition)
            let known = stored + (configuration[scope].syncs?.syncs ?? [])
            let definitions = try names.map { name in
                guard let definition = known.first(where: { $0.name == name }) else {
                    throw SoupError(
                        .syncNotFound, "there is no sync named \"\(name)\"",
                        hint: NameDistance.question(for: name, among: Set(known.compactMap(\.name)).sorted()))
                }
                return definition
            }
            var previews: [SyncPreview] = []
            for definition in definitions {
                let preview = try await SyncManager.preview(
                    definition, in: backend, registry: registry, connection: connections.standard,
                    connections: connections.named, with: definitions,
                    settings: configuration.settings(options.settings), clock: clock, logger: options.logger)
                previews.append(preview.withoutSecrets)
            }
            try await backend.close()
            return (previews, configuration)
        } catch {
            try? await backend.close()
            throw error
        }
    }
}

extension SyncPreview {
    /// The preview without the values of headers and parameters that are probably secrets.
    fileprivate var withoutSecrets: SyncPreview {
        var preview = self
        preview.requests = requests.map(\.withoutSecrets)
        for index in records.indices { preview.records[index].requests = records[index].requests.map(\.withoutSecrets) }
        return preview
    }
}

extension SyncPreview.Request {
    fileprivate var withoutSecrets: SyncPreview.Request {
        let parts = path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let parameters = parts.dropFirst().first?.split(separator: "&", omittingEmptySubsequences: false).map { pair in
            let name = pair.prefix { $0 != "=" }
            return OrgFile.isSecret(String(name)) ? "\(name)=***" : String(pair)
        }
        return SyncPreview.Request(
            method: method, path: String(parts[0]) + (parameters.map { "?" + $0.joined(separator: "&") } ?? ""),
            headers: headers.map { (name: $0.name, value: OrgFile.isSecret($0.name) ? "***" : $0.value) }, body: body)
    }
}
