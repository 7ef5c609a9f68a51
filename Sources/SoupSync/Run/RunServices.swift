// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Logging
internal import SoupCore

/// The services that every run of a manager uses.
struct RunServices: Sendable {
    let backend: any StoreBackend
    let registry: PluginRegistry
    let connections: SyncConnections
    let clock: any SoupClock
    let settings: SyncSettings
    let logger: Logger
    let sharing: SoupSharing
    /// The observer that measures the work of runs; `nil` for none.
    var observer: (any SyncObserver)?
    /// A function that returns numbers in 0..<1, which vary the length of pauses.
    let random: @Sendable () -> Double

    /// Claims the lease of the store, and marks unfinished runs as STOPPED.
    ///
    /// - Parameter isFirst: whether the manager claims the lease for the first time. If so, rows of one-time syncs that
    ///   another manager left and that cannot be resumed are deleted, and unreadable rows are logged. Later, such rows
    ///   may belong to this manager and wait for a login.
    /// - Returns: the lease; `nil` while another manager holds it.
    func claimSyncs(isFirst: Bool = false) async throws -> SyncLease? {
        guard let claim = try await backend.claimSyncs() else { return nil }
        let now = clock.milliseconds
        let logger = logger
        let hasLeftovers = try await backend.read { reader in
            try SyncsSoup.rows(in: reader) { if isFirst { logger.warning("sync \($0) cannot be run: \($1)") } }
                .contains { $0.state.status == .running || isFirst && $0.isAbandoned }
        }
        guard hasLeftovers else { return claim }
        try await backend.write { writer in
            for var row in try SyncsSoup.rows(in: writer) {
                if isFirst, row.isAbandoned {
                    try SyncsSoup.delete(row.state.id, in: writer)
                    continue
                }
                guard row.state.status == .running else { continue }
                row.state.status = .stopped
                row.state.times.end = now
                try SyncsSoup.save(row, in: writer)
            }
        }
        return claim
    }

    /// Adds the indexes to the soup of the syncs that stores of earlier mobile SDKs lack.
    ///
    /// If the store does not support this, the soup only stays slower.
    func alterSyncsSoup(to specs: [IndexSpec]) async throws {
        guard backend.capabilities(of: SyncsSoup.name).contains(.soupAlteration) else {
            return logger.notice("the indexes of syncs_soup were not changed: this store cannot alter soups")
        }
        try await backend.alterSoup(SyncsSoup.name, to: specs, reIndex: true)
    }

    /// Returns whether the store keeps synced copies of all soups of a tree.
    func keepsSyncedCopies(of layout: RecordLayout) -> Bool {
        layout.levels.allSatisfy { backend.capabilities(of: $0.soup).contains(.syncedCopies) }
    }

    /// Returns the error without the secrets of the connections.
    func masked(_ error: any Error) -> any Error { connections.masks.reduce(error) { $1.masked($0) } }

    /// Returns whether a text contains a secret of a connection.
    func containsSecret(_ text: String) -> Bool {
        connections.masks.contains { $0.masked(text) != text }
    }

    /// Returns the outcomes of a push without the secrets of the connections.
    func masked(_ outcomes: [PushOutcome]) -> [PushOutcome] {
        connections.masks.reduce(outcomes) { outcomes, mask in outcomes.map { mask.masked($0) } }
    }

    /// Returns the observation of a run; `nil` without an observer.
    func observation(of definition: SyncDefinition, target: PluginName) -> SyncObservation? {
        observer.map { observer in
            SyncObservation(observer: observer, definition: definition, target: target, masked: { self.masked($0) })
        }
    }

    /// Throws if the share of requests that syncs may use is used up at the server of a connection.
    ///
    /// - Throws: ``SoupError`` with `requestLimit`; the requests that follow would exceed the limit.
    func checkRequestLimit(of name: String?) throws {
        guard let usage = usageAtLimit(of: name) else { return }
        throw RequestLimitReached(usage: usage).error(settings.usableShare)
    }

    /// Returns the context that is passed to a target.
    ///
    /// - Parameters:
    ///   - name: the name of the target's connection.
    ///   - observation: measures the requests; `nil` for none, so that the target gets the transport itself.
    func context(
        for definition: SyncDefinition, connection name: String?, observation: SyncObservation? = nil,
        from mark: HighWaterMark? = nil, token: String? = nil
    ) -> SyncContext {
        let connection = connections[name].observed(observation, name: name)
        let logger = logger
        let backend = backend
        var context = SyncContext(
            transport: connection.transport, basePath: connection.basePath, clock: clock, soup: definition.soup,
            options: definition.options, highWaterMark: mark,
            log: { message in logger.info("\(message)") },
            localValues: { path, soup in try await backend.read { try $0.values(at: path, in: soup) } },
            localValuesLacking: { path, missing, soup in
                try await backend.read { try $0.values(at: path, lacking: missing, in: soup) }
            })
        context.syncToken = token
        context.deletes = settings.deletes ?? .compare
        return context
    }
}

extension StoreReader {
    /// Returns the values of a path in a soup, as text, in ascending order; missing values are left out.
    ///
    /// - Parameter missing: leaves out the entries that have a value at this path.
    func values(at path: JSONPath, lacking missing: JSONPath? = nil, in soup: SoupName) throws -> [String] {
        let paths = [path] + (missing.map { [$0] } ?? [])
        let spec = QuerySpec.all(soup, orderedBy: path, selecting: paths, pageSize: 2000)
        var values: [String] = []
        try walk(spec) { page in
            values += page.rows.map(\.value).filter { missing == nil || $0[1].map { $0 == .null } != false }
                .compactMap { $0[0]?.idText }
            return true
        }
        return values
    }
}

/// Runs `body` to its end even if the task is cancelled, for work that must not be left incomplete.
func shielded<T: Sendable>(_ body: @escaping @Sendable () async throws -> T) async throws -> T {
    try await Task { try await body() }.value
}

/// Runs a part of a push to its end even if the task is cancelled.
///
/// After a cancellation, `body` gets a ``StopSignal``, so that it does not start or wait for further work.
func pushing<T: Sendable>(_ body: @escaping @Sendable () async throws -> T) async throws -> T {
    let signal = StopSignal()
    return try await withTaskCancellationHandler {
        try await StopSignal.$current.withValue(signal) { try await shielded(body) }
    } onCancel: {
        signal.raise()
    }
}

extension SoupError {
    /// Returns the error with a subject in front of its message.
    func of(_ subject: String) -> SoupError {
        var error = self
        error.message = "\(subject): \(message)"
        return error
    }

    /// Converts any error to one that has a code.
    init(wrapping error: any Error) {
        switch error {
        case let known as SoupError: self = known
        case let json as JSONError: self.init(.json, "\(json)", cause: json)
        case let configuration as ConfigurationError:
            self.init(
                configuration.problems.first?.code ?? .badConfiguration, configuration.description,
                cause: configuration)
        default: self.init("unexpected", "\(error)", cause: error)
        }
    }
}
