// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSync
internal import SoupCore

extension Examination {
    /// Adds the findings about each sync of the file and of the store.
    mutating func examineSyncs(_ connections: Connections, in backend: any StoreBackend) async throws {
        let states: [SyncState]
        do {
            states = try await SyncManager.states(in: backend)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            diagnosis.add(error, .store)
            states = []
        }
        let configured = configuration[options.scope].syncs?.syncs ?? []
        let names = configured.compactMap(\.name)
        let others = states.map(\.definition).filter { $0.name.map { !names.contains($0) } ?? false }
        for definition in configured + others {
            guard let name = definition.name else { continue }
            let state = states.first { $0.name == name }
            if let reason = reasonNotToExamine(state?.definition ?? definition) {
                diagnosis.add(.failure, .sync(name), message: "not examined, because \(reason)")
                continue
            }
            for soup in try await missingSoups(of: state?.definition ?? definition, in: backend) {
                diagnosis.add(
                    .failure, .sync(name), message: "there is no soup \"\(soup)\"",
                    hint: "Add it to \(options.scope.storeFile), or register it in the app before the sync runs.")
            }
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

    /// Returns the soups of a sync that neither the store nor the file of the store has.
    private func missingSoups(
        of definition: SyncDefinition, in backend: any StoreBackend
    ) async throws -> [SoupName] {
        guard let target = SyncTarget(definition, registry: options.registry) else { return [] }
        let configured = Set(configuration[options.scope].store?.soups.map(\.name) ?? [])
        let missing = target.levels(for: definition.soup).map(\.soup).filter { !configured.contains($0) }
        return try await backend.read { reader in try missing.filter { try !reader.soupExists($0) } }
    }

    /// Returns the reason why a sync would certainly fail, if it was found before.
    private func reasonNotToExamine(_ definition: SyncDefinition) -> String? {
        if storeIsUnknown, definition.type == .syncUp { return "the store cannot be opened" }
        if unusable[nil] != nil, usesOrg(definition) { return "the server cannot be used" }
        guard let name = SyncTarget(definition, registry: options.registry)?.connectionName else { return nil }
        return unusable[name] == nil ? nil : "the connection \"\(name)\" cannot be used"
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
            connections: connections.named.mapValues(guarded),
            with: configuration[options.scope].syncs?.syncs ?? [],
            settings: configuration.settings(options.settings), detail: .firstPage, clock: options.clock,
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
            let change = isIncremental ? ", those changed since shortly before the last run" : ""
            return diagnosis.add(
                .ok, .sync(name), message: "the server returned \(page.records)\(total) \(noun)\(change)")
        }
        let stuck = preview.records.filter(\.effect.isStuck)
        if preview.records.isEmpty { return diagnosis.add(.ok, .sync(name), message: "no local changes") }
        let effects: [(SyncPreview.Effect, String)] = [
            (.send, "to send"), (.resolve, "to resolve with the server's version"), (.remove, "to remove locally"),
            (.lookUp, "to look up on the server, because the response to the creation was lost"),
        ]
        let counts = effects.compactMap { effect, text in
            let count = preview.records.count { $0.effect == effect }
            return count == 0 ? nil : "\(count) \(text)"
        }
        if !counts.isEmpty {
            diagnosis.add(.ok, .sync(name), message: "local changes: \(counts.joined(separator: ", "))")
        }
        for record in stuck.prefix(Self.maximumRecords) {
            let reason = record.reason.map { "\($0.code), \($0.message)" } ?? "held"
            diagnosis.add(
                .failure, .sync(name),
                message: "\(record.soup) \(record.entryId): the \(record.action.rawValue) would not be sent: \(reason)",
                hint: record.effect == .conflict
                    ? "Run the sync to record the conflict; it sends the other changes." : nil)
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
        } else if let usage = state.pausedAtUsage {
            diagnosis.add(
                .warning, .sync(name), message: "the last run paused at the limit of API requests: \(usage) were used",
                hint: "Runs pause until that number is 15 minutes old. A higher \"requestLimitPercent\" in "
                    + "\(ConfigurationFolder.orgFile) counts at once.")
        } else if state.status == .failed {
            diagnosis.add(
                .warning, .sync(name), message: "the last run failed\(state.error.isEmpty ? "" : ": \(state.error)")",
                hint: "Run the sync again. The cause may no longer exist.")
        }
        let left = state.unsynced.counts.filter { $0.count > 0 }.map { "\($0.count) \($0.name)" }
        guard !left.isEmpty else { return }
        diagnosis.add(
            .warning, .sync(name),
            message: "records of the last run that were not synced: \(left.joined(separator: ", "))",
            hint: "Run `soup failures` and `soup conflicts` to list them.")
    }
}
