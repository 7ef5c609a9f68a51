// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Logging
public import SoupCore

extension SyncManager {
    /// Creates a sync down and runs it.
    ///
    /// Without a name it is for one time: it leaves no row behind when it ends DONE, and can be gone on with by its id
    /// when it does not, until another one of the same definition begins.
    ///
    /// - Throws: as ``create(_:)`` and ``reSync(id:)``; when it throws, nothing was created.
    public func syncDown(
        _ target: TargetReference, into soup: SoupName, options: SyncOptions = SyncOptions(), named name: String? = nil
    ) async throws -> SyncRun {
        try await run(SyncDefinition(name: name, type: .syncDown, soup: soup, target: target, options: options))
    }

    /// Creates a sync up and runs it; as ``syncDown(_:into:options:named:)``.
    ///
    /// Without a name it leaves no row behind when it FAILED either: what was not sent goes with the next sync up.
    ///
    /// - Parameter target: the empty object stands for the default target, collections of records.
    public func syncUp(
        _ target: TargetReference = TargetReference([:]), from soup: SoupName, options: SyncOptions = SyncOptions(),
        named name: String? = nil
    ) async throws -> SyncRun {
        try await run(SyncDefinition(name: name, type: .syncUp, soup: soup, target: target, options: options))
    }

    /// Creates a sync and runs it; as ``syncDown(_:into:options:named:)``.
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

    /// Runs the sync of a name; as ``reSync(id:)``.
    public func reSync(named name: String) async throws -> SyncRun { try await reSync(id: try await id(of: name)) }

    /// Runs a sync, the first time or again.
    ///
    /// A sync down fetches what changed since its high-water mark, or goes on where an unfinished run was. A sync up
    /// pushes the entries that are dirty now.
    ///
    /// - Throws: ``SoupError``: `syncNotFound`, `managerStopped`, `syncAlreadyRunning` (also when another process syncs
    ///   the store); `ConfigurationError` when the registry cannot make its target. What goes wrong later is in the
    ///   run's result.
    /// - Returns: the run, when its row is RUNNING; it may have to wait for its turn still.
    public func reSync(id: Int64) async throws -> SyncRun {
        try await holdingSyncs {
            while true {
                guard let known = try await services.backend.read({ try SyncsSoup.row(id, in: $0) }) else {
                    throw SoupError(.syncNotFound, "there is no sync with the id \(id)")
                }
                if let run = try await start(id, known.state.definition) { return run }
            }
        }
    }

    /// Marks a sync as RUNNING and begins its run.
    ///
    /// - Returns: nil when it was given another definition meanwhile.
    private func start(_ id: Int64, _ definition: SyncDefinition) async throws -> SyncRun? {
        let resolver = try services.registry.resolver(of: definition)
        switch definition.type {
        case .syncDown:
            let target = try services.registry.downTarget(of: definition)
            let claim = RunQueue.Claim(soups: target.recordLayout(for: definition.soup).soups, isExclusive: false)
            return try await start(id, definition, claim) { row, services, report in
                DownRun(row, target: target, resolver: resolver, services: services, report: report)
            }
        case .syncUp:
            let target = try services.registry.upTarget(of: definition)
            let claim = RunQueue.Claim(soups: target.recordLayout(for: definition.soup).soups, isExclusive: true)
            return try await start(id, definition, claim) { row, services, report in
                UpRun(row, target: target, resolver: resolver, services: services, report: report)
            }
        }
    }

    private func start(
        _ id: Int64, _ definition: SyncDefinition, _ claim: RunQueue.Claim,
        _ makeBody: (SyncRow, RunServices, RunReport) -> any SyncBody
    ) async throws -> SyncRun? {
        let work = try reserve(id, claim)
        let begun: SyncRow?
        do {
            let now = services.clock.now
            begun = try await services.backend.write { writer -> SyncRow? in
                guard var row = try SyncsSoup.row(id, in: writer) else {
                    throw SoupError(.syncNotFound, "there is no sync with the id \(id)")
                }
                guard row.state.definition == definition else { return nil }
                row.begin(at: now)
                try SyncsSoup.save(row, in: writer)
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
        let (report, events) = RunReport.opened()
        report.tell(row.state)
        let body = makeBody(row, services, report)
        // The run keeps its manager alive. It releases the lease before it reports its end: a caller that hears of it
        // may run the sync with another manager at once.
        attach(Task { report.finish(await perform(body, id, work)) }, to: id)
        return SyncRun(state: row.state, events: events, end: report.end) { [weak self] in
            Task { await self?.cancel(id, work) }
        }
    }

    /// The one way through every run: waits for its turn, runs it, records how it ended and sets the sync free.
    ///
    /// Only then may anybody hear that it is over, so that they can run the sync again at once.
    private nonisolated func perform(
        _ body: any SyncBody, _ id: Int64, _ work: ActiveWork
    ) async -> SyncResult {
        var body = body
        var result: SyncResult
        do {
            try await queue.turn(of: work.place)
            try await body.run()
            result = body.result
        } catch {
            let error = services.masked(error)
            result = body.result
            var row = body.row
            row.end(Task.isCancelled ? nil : SoupError(wrapping: error), at: services.clock.now)
            result.state = row.state
            let name = row.state.name.map { "\"\($0)\"" } ?? "\(row.state.id)"
            let hasCause = row.state.status == .failed || row.state.isWaitingForLogin
            let remedy = RunRemedy(row.state.definition.type, result)
            result.error = hasCause ? remedy.given(to: SoupError(wrapping: error)).of("sync \(name)") : nil
            await record(row)
        }
        await release(id, work)
        return result
    }

    /// Saves the row of a run that ended early, also when its task is cancelled.
    private nonisolated func record(_ row: SyncRow) async {
        let backend = services.backend
        do {
            try await shielded { try await backend.write { try SyncsSoup.save(row, in: $0) } }
        } catch {
            // The row stays RUNNING until the sync runs again or the next manager finds it; the caller has the result.
            services.logger.error("the end of sync \(row.state.id) could not be saved: \(error)")
        }
    }
}

/// What a run does between its beginning and its end.
protocol SyncBody: Sendable {
    /// The row of the sync, as it was saved last.
    var row: SyncRow { get }
    /// What was done so far.
    var result: SyncResult { get }
    /// Does the work; the row is DONE and saved when it returns.
    mutating func run() async throws
}
