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
    ///   - others: the other syncs of the same call; a record that waits for one of theirs is shown as sent, because
    ///     the runs continue until none of them waits (``SyncSequence``).
    ///   - settings: those of the manager that would run the sync.
    ///   - detail: the part of the run to show.
    /// - Throws: ``SoupError`` of the store; `ConfigurationError` if the registry cannot make the target. Errors of the
    ///   server are in the preview.
    public static func preview(
        _ definition: SyncDefinition, in backend: any StoreBackend, registry: PluginRegistry,
        connection: SyncConnection, connections: [String: SyncConnection] = [:], with others: [SyncDefinition] = [],
        settings: SyncSettings = SyncSettings(), detail: SyncPreview.Detail = .requests,
        clock: any SoupClock = SystemClock(), logger: Logger = Logger(label: "soupkit.preview")
    ) async throws -> SyncPreview {
        let all = SyncConnections(
            standard: connection, named: connections, limit: settings.usableShare, clock: clock)
        let services = RunServices(
            backend: backend, registry: registry, connections: all, clock: clock, settings: settings,
            logger: all.masked(logger), sharing: SoupSharing(registry: registry), random: { 0 })
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
                .preview(detail)
        case .syncUp:
            let target = try registry.upTarget(of: row.state.definition)
            var run = UpRun(row, target: target, resolver: resolver, services: services, report: RunReport())
            // A faulty definition is the problem of its own preview.
            let layouts = others.filter { $0.type == .syncUp }.compactMap { other in
                (try? registry.upTarget(of: other))?.recordLayout(for: other.soup)
            }
            return try await run.preview(detail, with: layouts)
        }
    }
}

extension DownRun {
    /// Returns the first request of the run and the number of records, or the first page.
    func preview(_ detail: SyncPreview.Detail) async throws -> SyncPreview {
        var preview = SyncPreview(row.state.definition)
        do {
            try await checkIndexesOfExistingSoups()
            switch detail {
            case .requests:
                preview.requests = try await firstRequests()
                preview.count = try await target.currentCount(unchangedSince: nil, in: context)
            case .firstPage: try await fetchFirstPage(&preview)
            }
        } catch {
            try Task.checkCancellation()
            preview.error = SoupError(wrapping: services.masked(error))
        }
        return preview
    }

    /// Returns the requests that the target makes before the first response.
    ///
    /// - Throws: the error of the target, if it makes none.
    private func firstRequests() async throws -> [SyncPreview.Request] {
        let transport = PreviewTransport(instead: context.transport)
        var previewed = context
        previewed.transport = transport
        do {
            _ = try await target.unreadPage(after: row.resume?.cursor, in: previewed)
        } catch {
            if transport.requests.isEmpty { throw error }
        }
        return transport.requests
    }

    /// Checks the soups that exist: a run registers the others first.
    private func checkIndexesOfExistingSoups() async throws {
        let row = row
        let layout = layout
        try await services.backend.read { reader in
            for level in layout.levels where try reader.soupExists(level.soup) {
                try Self.checkIndex(of: level, for: row, in: reader)
            }
        }
    }

    /// Fetches the first page of the run, as the run would: from its resume point, or from the start if the server has
    /// forgotten that point.
    private func fetchFirstPage(_ preview: inout SyncPreview) async throws {
        let pages = PageReader(target: target, layout: layout, context: context, clock: services.clock)
        let page: FetchedPage
        do {
            page = try await pages.page(after: row.resume?.cursor)
        } catch let error as SoupError where error.code == .cursorExpired && row.resume?.cursor != nil {
            page = try await pages.page(after: nil)
        }
        let records = page.levels.first?.records.count ?? 0
        let isLast = page.head.next == nil
        preview.firstPage = SyncPreview.FirstPage(records: records, isLast: isLast)
        preview.count = page.head.plausibleTotal ?? (isLast ? records : nil)
        preview.error = page.head.failure
        guard isLast, preview.error == nil else { return }
        var run = self
        preview.error = try await run.shortage(ofOnly: page)
    }
}
