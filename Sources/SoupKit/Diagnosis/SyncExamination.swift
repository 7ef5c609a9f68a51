// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSync
internal import SoupCore

extension Examination {
    /// Adds the findings about each sync of the file and of the store.
    mutating func examineSyncs(_ connections: Connections, in backend: any StoreBackend) async throws {
        let states = (try? await SyncManager.states(in: backend)) ?? []
        let configured = configuration[options.scope].syncs?.syncs ?? []
        let names = configured.compactMap(\.name)
        let others = states.map(\.definition).filter { $0.name.map { !names.contains($0) } ?? false }
        for definition in configured + others {
            guard let name = definition.name else { continue }
            let state = states.first { $0.name == name }
            do {
                let preview = try await preview(state?.definition ?? definition, connections, in: backend)
                examine(preview, state, named: name)
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                diagnosis.add(error, .sync(name))
            }
            if let state { examineLastRun(state, named: name) }
        }
    }

    private func preview(
        _ definition: SyncDefinition, _ connections: Connections, in backend: any StoreBackend
    ) async throws -> SyncPreview {
        // The questions of a sync up do not change the server. The requests of a sync down can, as a bulk job does.
        let isDown = definition.type == .syncDown
        func guarded(_ connection: SyncConnection) -> SyncConnection {
            guard isDown else { return connection }
            return SyncConnection(
                transport: ReadOnlyTransport(over: connection.transport), basePath: connection.basePath)
        }
        return try await SyncManager.preview(
            definition, in: backend, registry: options.registry, connection: guarded(connections.standard),
            connections: connections.named.mapValues(guarded), fetchesFirstPage: isDown, clock: options.clock,
            logger: options.logger)
    }

    private mutating func examine(_ preview: SyncPreview, _ state: SyncState?, named name: String) {
        if let error = preview.error, error.code == ReadOnlyTransport.refusal {
            return diagnosis.add(.warning, .sync(name), message: "not fetched: \(error.message)", hint: error.hint)
        }
        if let error = preview.error { return diagnosis.add(error, .sync(name)) }
        if let page = preview.firstPage {
            let isIncremental = state?.maxTimeStamp != nil
            let total = page.isLast ? "" : preview.count.map { " of \($0)" } ?? " of several pages"
            let noun = page.records == 1 && total.isEmpty ? "record" : "records"
            let change = isIncremental ? ", those changed since the last run" : ""
            return diagnosis.add(
                .ok, .sync(name), message: "the server returned \(page.records)\(total) \(noun)\(change)")
        }
        let stuck = preview.records.filter { [.hold, .fail].contains($0.effect) }
        let sent = preview.records.count - stuck.count
        if preview.records.isEmpty { return diagnosis.add(.ok, .sync(name), message: "no local changes") }
        if sent > 0 {
            diagnosis.add(.ok, .sync(name), message: "\(sent) local \(sent == 1 ? "change" : "changes") to send")
        }
        for record in stuck.prefix(Self.maximumRecords) {
            let reason = record.reason.map { "\($0.code), \($0.message)" } ?? "held"
            diagnosis.add(
                .failure, .sync(name),
                message: "\(record.soup) \(record.entryId): the \(record.action.rawValue) would not be sent: \(reason)")
        }
        guard stuck.count > Self.maximumRecords else { return }
        diagnosis.add(
            .failure, .sync(name), message: "\(stuck.count - Self.maximumRecords) more changes would not be sent",
            hint: "Run `soup sync \(name) --dry-run` to list all.")
    }

    /// The number of records that are named for each sync.
    private static let maximumRecords = 5

    /// Adds a warning about the records that the last run did not sync, and about its error.
    private mutating func examineLastRun(_ state: SyncState, named name: String) {
        if state.isWaitingForLogin {
            diagnosis.add(
                .warning, .sync(name), message: "the last run stopped because the session had expired",
                hint: "Log in, and sync.")
        } else if state.status == .failed {
            diagnosis.add(
                .warning, .sync(name), message: "the last run failed\(state.error.isEmpty ? "" : ": \(state.error)")",
                hint: "Run it again; its error may be of the past.")
        }
        let left = state.unsynced.counts.filter { $0.count > 0 }.map { "\($0.count) \($0.name)" }
        guard !left.isEmpty else { return }
        diagnosis.add(
            .warning, .sync(name),
            message: "records of the last run that were not synced: \(left.joined(separator: ", "))",
            hint: "Run `soup failures` and `soup conflicts` to list them.")
    }
}
