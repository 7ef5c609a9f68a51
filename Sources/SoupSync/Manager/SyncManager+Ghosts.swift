// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Logging
public import SoupCore

/// The result of a ghost cleaning.
public struct GhostCleaning: Sendable, Hashable {
    /// The number of removed records; for trees, the number of parents.
    public var count: Int
    /// The number of removed records of all levels, by soup; soups without removed records are left out.
    public var removedBySoup: [SoupName: Int]
    /// The entries that were left out of every request because the server cannot have issued their IDs.
    ///
    /// These entries are kept.
    public var leftOut: [RecordOutcome]
}

extension SyncManager {
    /// Cleans the ghosts of the sync down with a name; same as ``cleanResyncGhosts(id:completely:all:)``.
    @discardableResult
    public func cleanResyncGhosts(
        named name: String, completely: Bool = false, all: Bool = false
    ) async throws -> Int {
        try await cleanResyncGhosts(id: try await id(of: name), completely: completely, all: all)
    }

    /// Deletes the entries that this sync down fetched and that the server would no longer return to it.
    ///
    /// Entries with local changes are kept, and so are their parents. If another sync down fetched an entry too, the
    /// entry is kept and belongs only to the other sync from then on. The saved state of the sync does not change. The
    /// cleaning and a run of the same sync exclude each other. Cancelling the task ends the cleaning.
    ///
    /// An entry whose ID the server cannot have issued is kept; ``cleanGhosts(named:completely:all:)`` reports it.
    ///
    /// - Parameters:
    ///   - completely: whether to compare all IDs even if the target queries deletions by date. This also finds records
    ///     that still exist but that the target no longer fetches.
    ///   - all: confirms that any number of entries may be removed. Without it, and without
    ///     `SyncOptions.removesAllGhosts`, `tooManyGhosts` is thrown if the cleaning would remove more than 20 entries
    ///     of a soup and these are more than half of the soup's clean entries that belong to the sync.
    /// - Throws: ``SoupError``: `syncNotFound`, `notASyncDown`, `managerStopped` (also if the manager is stopped during
    ///   the cleaning), `syncAlreadyRunning`, `tooManyGhosts`, and the errors of the target and of the store;
    ///   `CancellationError`. In that case nothing is removed.
    /// - Returns: the number of deleted records; for trees, the number of parents, as in the mobile SDKs.
    @discardableResult
    public func cleanResyncGhosts(id: Int64, completely: Bool = false, all: Bool = false) async throws -> Int {
        try await clean(id, completely: completely, all: all).count
    }

    /// Cleans the ghosts of the sync down with a name, and returns the number of deleted records by soup.
    ///
    /// Otherwise the same as ``cleanResyncGhosts(id:completely:all:)``.
    ///
    /// - Returns: the number of deleted records of each soup; soups without deleted records are left out. Children that
    ///   are removed because their parent is removed are not counted.
    public func cleanResyncGhostsBySoup(
        named name: String, completely: Bool = false, all: Bool = false
    ) async throws -> [SoupName: Int] {
        try await clean(try await id(of: name), completely: completely, all: all).bySoup
    }

    /// Cleans the ghosts of the sync down with a name, and reports the removed records and the entries that were left
    /// out.
    ///
    /// Otherwise the same as ``cleanResyncGhosts(id:completely:all:)``.
    public func cleanGhosts(
        named name: String, completely: Bool = false, all: Bool = false
    ) async throws -> GhostCleaning {
        let result = try await clean(try await id(of: name), completely: completely, all: all)
        return GhostCleaning(count: result.count, removedBySoup: result.bySoup, leftOut: result.leftOut)
    }

    private func clean(_ id: Int64, completely: Bool, all: Bool) async throws -> GhostRun.Result {
        try await holdingSyncs {
            while true {
                let definition = try await requireSync(id).definition
                guard definition.type == .syncDown else {
                    throw SoupError(
                        .notASyncDown,
                        "ghosts can be cleaned for sync downs only, and \(definition.name ?? "\(id)") is a sync up",
                        hint: "Name the sync down that fetches the records.")
                }
                if let result = try await clean(id, definition, completely: completely, all: all) { return result }
            }
        }
    }

    /// Cleans the ghosts of a sync down.
    ///
    /// - Returns: `nil` if the sync was deleted or redefined in the meantime.
    private func clean(
        _ id: Int64, _ definition: SyncDefinition, completely: Bool, all: Bool
    ) async throws -> GhostRun.Result? {
        let target = try services.registry.downTarget(of: definition)
        let soups = target.recordLayout(for: definition.soup).soups
        let work = try reserve(id, RunQueue.Claim(soups: soups, isExclusive: false))
        let services = services
        let queue = queue
        let cleaning = Task { () async throws -> GhostRun.Result? in
            try await queue.turn(of: work.ticket)
            // No other work writes the row from now on.
            guard let row = try await services.backend.read({ try SyncsSoup.row(id, in: $0) }),
                row.state.definition == definition
            else { return nil }
            let observation = services.observation(of: definition, target: target.pluginName)
            let run = GhostRun(
                services: services, row: row, target: target, observation: observation, removesAll: all)
            let result = try await services.sharingUsage(of: target.connectionName) {
                try await run.observedRun(completely: completely)
            }
            for entry in result.leftOut {
                services.logger.warning("sync \(id): \(entry.soup) \(entry.entryId): \(entry.error?.message ?? "")")
            }
            return result
        }
        attach(
            Task {
                await withTaskCancellationHandler {
                    _ = await cleaning.result
                } onCancel: {
                    cleaning.cancel()
                }
            }, to: id)
        let outcome = await withTaskCancellationHandler {
            await cleaning.result
        } onCancel: {
            cleaning.cancel()
        }
        release(id, work)
        do {
            return try outcome.get()
        } catch {
            // If the manager was stopped, throw `managerStopped`. If the caller cancelled its own task, throw the
            // original error.
            if cleaning.isCancelled, !Task.isCancelled { try checkAccepting() }
            let error = services.masked(error)
            throw (error as? SoupError).map { RunErrorHint.cleaning.added(to: $0) } ?? error
        }
    }
}
