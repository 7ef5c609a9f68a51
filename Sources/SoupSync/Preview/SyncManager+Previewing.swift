// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import Logging
public import SoupCore

extension SyncManager {
    /// Returns what the next run of a sync would do, without a manager: nothing is written.
    ///
    /// The store may have no soup for the syncs yet. For a sync down, the target makes its first request, which is not
    /// sent, and may ask the server for the number of records. For a sync up, the local changes are read and decided as
    /// in a run: with a merge mode that compares versions, the server is asked for them. Creations without a response
    /// are not looked up.
    ///
    /// - Parameters:
    ///   - definition: the sync; if the store has one of this name, that one is used.
    ///   - connection: sends the questions; `connections` those of targets that name one.
    /// - Throws: ``SoupError`` of the store; `ConfigurationError` if the registry cannot make the target. Errors of the
    ///   server are in the preview.
    public static func preview(
        _ definition: SyncDefinition, in backend: any StoreBackend, registry: PluginRegistry,
        connection: SyncConnection, connections: [String: SyncConnection] = [:],
        clock: any SoupClock = SystemClock(), logger: Logger = Logger(label: "soupkit.preview")
    ) async throws -> SyncPreview {
        let services = RunServices(
            backend: backend, registry: registry,
            connections: SyncConnections(standard: connection, named: connections), clock: clock,
            settings: SyncSettings(), logger: logger, sharing: SoupSharing(registry: registry), random: { 0 })
        let name = definition.name
        let stored = try await backend.read { reader -> SyncRow? in
            guard let name, try reader.soupExists(SyncsSoup.name) else { return nil }
            return try SyncsSoup.id(of: name, in: reader).flatMap { try SyncsSoup.row($0, in: reader) }
        }
        let row = stored ?? SyncRow(definition, isOneShot: false)
        let resolver = try registry.resolver(of: row.state.definition)
        switch row.state.definition.type {
        case .syncDown:
            let target = try registry.downTarget(of: row.state.definition)
            return try await DownRun(row, target: target, resolver: resolver, services: services, report: RunReport())
                .preview()
        case .syncUp:
            let target = try registry.upTarget(of: row.state.definition)
            var run = UpRun(row, target: target, resolver: resolver, services: services, report: RunReport())
            return try await run.preview()
        }
    }
}

extension DownRun {
    /// Returns the first request of the run, and the number of records if the target can ask for it.
    func preview() async throws -> SyncPreview {
        var preview = SyncPreview(row.state.definition)
        let transport = PreviewTransport(instead: context.transport)
        var previewed = context
        previewed.transport = transport
        do {
            _ = try await target.unreadPage(after: row.resume?.cursor, in: previewed)
        } catch {
            try Task.checkCancellation()
            if transport.requests.isEmpty { preview.error = SoupError(wrapping: services.masked(error)) }
        }
        preview.requests = transport.requests
        guard preview.error == nil else { return preview }
        do {
            preview.count = try await target.currentCount(unchangedSince: nil, in: context)
        } catch {
            try Task.checkCancellation()
            preview.error = SoupError(wrapping: services.masked(error))
        }
        return preview
    }
}
