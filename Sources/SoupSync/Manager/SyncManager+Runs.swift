// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Logging
public import SoupCore

extension SyncManager {
    /// Creates a sync down and runs it.
    ///
    /// Without a name, it is a one-time sync. Its row is deleted when it ends DONE. If it ends otherwise, it can be
    /// resumed by its ID, until another one-time sync with the same definition begins.
    ///
    /// - Throws: the errors of ``create(_:)`` and ``reSync(id:)``. In that case nothing is created.
    public func syncDown(
        _ target: TargetReference, into soup: SoupName, options: SyncOptions = SyncOptions(), named name: String? = nil
    ) async throws -> SyncRun {
        try await run(SyncDefinition(name: name, type: .syncDown, soup: soup, target: target, options: options))
    }

    /// Creates a sync up and runs it; same as ``syncDown(_:into:options:named:)``.
    ///
    /// Without a name, its row is also deleted when it ends FAILED. The changes that were not pushed are pushed by the
    /// next sync up of the soup.
    ///
    /// - Parameter target: an empty object means the default target, which uses the collections API.
    public func syncUp(
        _ target: TargetReference = TargetReference([:]), from soup: SoupName, options: SyncOptions = SyncOptions(),
        named name: String? = nil
    ) async throws -> SyncRun {
        try await run(SyncDefinition(name: name, type: .syncUp, soup: soup, target: target, options: options))
    }

    /// Creates a sync and runs it; same as ``syncDown(_:into:options:named:)``.
    public func run(_ definition: SyncDefinition) async throws -> SyncRun {
        try checkAccepting()
        return try await holdingSyncs {
            let row = try await insert(definition, isOneShot: definition.name == nil)
            do {
                return try await reSync(id: row.state.id)
            } catch {
                try? await services.backend.write { try SyncsSoup.delete(row.state.id, in: $0) }
                throw error
            }
        }
    }

    /// Runs the sync with a name; same as ``reSync(id:)``.
    public func reSync(named name: String) async throws -> SyncRun { try await reSync(id: try await id(of: name)) }

    /// Runs a sync, for the first time or again.
    ///
    /// A sync down resumes an unfinished run, or fetches the changes since its high-water mark. A sync up pushes the
    /// entries that are dirty now.
    ///
    /// - Throws: ``SoupError``: `syncNotFound`, `managerStopped`, `syncAlreadyRunning` (also if another process syncs
    ///   the store); `ConfigurationError` if the registry cannot make its target. Later errors are in the run's result.
    /// - Returns: the run, when its row is RUNNING; the run may still be waiting for its turn.
    public func reSync(id: Int64) async throws -> SyncRun { try await reSync(id: id, skippingLookback: false) }

    /// Runs a sync as ``reSync(id:)``.
    ///
    /// - Parameter skippingLookback: whether a sync down omits to look back if it did so recently; see
    ///   ``SyncDownTarget/lookback``.
    func reSync(id: Int64, skippingLookback: Bool) async throws -> SyncRun {
        try await holdingSyncs {
            while true {
                let definition = try await requireSync(id).definition
                if let run = try await start(id, definition, skippingLookback: skippingLookback) { return run }
            }
        }
    }

    /// Marks a sync as RUNNING and begins its run.
    ///
    /// - Returns: `nil` if the sync was redefined in the meantime.
    private func start(
        _ id: Int64, _ definition: SyncDefinition, skippingLookback skipsLookback: Bool
    ) async throws -> SyncRun? {
        let resolver = try services.registry.resolver(of: definition)
        switch definition.type {
        case .syncDown:
            let target = try services.registry.downTarget(of: definition)
            let claim = RunQueue.Claim(soups: target.recordLayout(for: definition.soup).soups, isExclusive: false)
            return try await start(id, definition, claiming: claim) { row, services, report in
                DownRun(
                    row, target: target, resolver: resolver, services: services, report: report,
                    skipsLookback: skipsLookback)
            }
        case .syncUp:
            let target = try services.registry.upTarget(of: definition)
            let claim = RunQueue.Claim(soups: target.recordLayout(for: definition.soup).soups, isExclusive: true)
            return try await start(id, definition, claiming: claim) { row, services, report in
                UpRun(row, target: target, resolver: resolver, services: services, report: report)
            }
        }
    }

    private func start(
        _ id: Int64, _ definition: SyncDefinition, claiming claim: RunQueue.Claim,
        makeOperation: @escaping @Sendable (SyncRow, RunServices, RunReport) -> any RunOperation
    ) async throws -> SyncRun? {
        let work = try reserve(id, claim)
        let begun: SyncRow?
        do {
            let now = services.clock.milliseconds
            let (backend, sharing) = (services.backend, services.sharing)
            begun = try await backend.write { writer -> SyncRow? in
                try SoupGenerations.forgetReplaced(claim.soups, sharing: sharing, in: writer) {
                    backend.capabilities(of: $0).contains(.durable)
                }
                var row = try SyncsSoup.requireRow(id, in: writer)
                guard row.state.definition == definition else { return nil }
                let continues = row.state.status == .running
                row.begin(at: now)
                try SyncsSoup.save(row, in: writer)
                if !continues {
                    // The dates of earlier writes are less than this one, although they can be ahead of the clock. They
                    // are far ahead only if the clock was set back.
                    let date = try SyncsSoup.modificationDate(of: id, in: writer) ?? now
                    row.startDate = min(date, now + 60_000)
                }
                return row
            }
        } catch {
            release(id, work)
            throw error
        }
        guard let row = begun else {
            release(id, work)
            return nil
        }
        let report = RunReport()
        report.send(row.state)
        let services = services
        let makeOperation = { @Sendable in makeOperation($0, services, report) }
        // The run keeps its manager alive. It releases the lease before it reports its end, because the caller may then
        // run the sync with another manager at once.
        attach(Task { report.finish(await perform(row, as: work, makeOperation)) }, to: id)
        return SyncRun(state: row.state, log: RunLog.Subscription(report.log), end: report.end) { [weak self] in
            Task { await self?.cancel(id, work) }
        }
    }

    /// Performs a run: waits for its turn, runs it, saves its final state and releases the sync.
    ///
    /// The end is reported only after that, so that callers can run the sync again at once.
    private nonisolated func perform(
        _ row: SyncRow, as work: ActiveWork, _ makeOperation: @Sendable (SyncRow) -> any RunOperation
    ) async -> SyncResult {
        let id = row.state.id
        var operation = makeOperation(row)
        var result: SyncResult
        do {
            let wait: Result<Void, any Error>
            do { wait = .success(try await queue.turn(of: work.ticket)) } catch { wait = .failure(error) }
            operation = makeOperation(try await afterWaiting(row))
            try wait.get()
            let observation = operation.observation
            try await services.sharingUsage(of: operation.connectionName) {
                try await observation.measuring(.run) {
                    try await operation.run()
                } describe: { end, result in
                    result.add(operation.result)
                    if case .failure = end, Task.isCancelled { result = result.stopped }
                }
            }
            result = operation.result
        } catch {
            let error = services.masked(error)
            result = operation.result
            var row = operation.row
            let end = Task.isCancelled ? nil : SoupError(wrapping: error)
            row.end(end, usage: services.usageAtLimit(of: operation.connectionName), at: services.clock.milliseconds)
            result.state = row.state
            let name = row.state.name.map { "\"\($0)\"" } ?? "\(row.state.id)"
            let hint = RunErrorHint(row.state.definition.type, result)
            result.error = end.map { hint.added(to: $0).of("sync \(name)") }
            await record(row)
        }
        await release(id, work)
        return result
    }

    /// Returns the row of a run that has waited for its turn, even if its task is cancelled: meanwhile, a push may have
    /// ended its unfinished query.
    private nonisolated func afterWaiting(_ row: SyncRow) async throws -> SyncRow {
        let backend = services.backend
        let stored = try await shielded { try await backend.read { try SyncsSoup.row(row.state.id, in: $0) } }
        guard let stored else { return row }
        var row = row
        row.resume = stored.resume
        return row
    }

    /// Saves the row of a run that ended early, even if its task is cancelled.
    private nonisolated func record(_ row: SyncRow) async {
        let backend = services.backend
        do {
            try await shielded { try await backend.write { try SyncsSoup.save(row, in: $0) } }
        } catch {
            // The row stays RUNNING until the sync runs again or another manager claims the lease. The caller gets the
            // result.
            services.logger.error("the end of sync \(row.state.id) could not be saved: \(error)")
        }
    }
}
