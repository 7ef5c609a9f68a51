// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Logging
public import SoupCore

/// What a cleaning of ghosts did.
public struct GhostCleaning: Sendable, Hashable {
    /// How many records were removed; for trees: parents.
    public var count: Int
    /// The same with those of all kinds, by soup; soups without any are left out.
    public var removedBySoup: [SoupName: Int]
    /// The entries that were left out of every request because their IDs cannot be the server's.
    ///
    /// They stay.
    public var leftOut: [RecordOutcome]
}

extension SyncManager {
    /// Cleans the ghosts of the sync down of a name; as ``cleanResyncGhosts(id:completely:all:)``.
    @discardableResult
    public func cleanResyncGhosts(
        named name: String, completely: Bool = false, all: Bool = false
    ) async throws -> Int {
        try await cleanResyncGhosts(id: try await id(of: name), completely: completely, all: all)
    }

    /// Deletes the entries that this sync down brought and that the server would no longer give it.
    ///
    /// Entries with local changes stay, and so do parents of such entries. An entry that another sync down brought,
    /// too, is only let go of: it is the other one's from then on. The saved state of the sync does not change. It
    /// excludes a run of the same sync. Cancelling the task ends it.
    ///
    /// An entry whose ID cannot be the server's stays; ``cleanGhosts(named:completely:all:)`` reports it.
    ///
    /// - Parameters:
    ///   - completely: for a target that asks for deletions by their dates: compare all ids all the same, which also
    ///     finds records that still exist and that the target no longer wants.
    ///   - all: confirms that any number of entries may be removed. Without it, and without
    ///     `SyncOptions.removesAllGhosts`, a cleaning that would remove more than 20 entries of a soup which are more
    ///     than half of the clean entries that the sync brought into it throws `tooManyGhosts`.
    /// - Throws: ``SoupError``: `syncNotFound`, `notASyncDown`, `managerStopped` (also when it is stopped meanwhile),
    ///   `syncAlreadyRunning`, `tooManyGhosts`, and what the target and the store throw; `CancellationError`. Nothing
    ///   is removed then.
    /// - Returns: how many records were deleted; for trees: parents, as the mobile SDKs count.
    @discardableResult
    public func cleanResyncGhosts(id: Int64, completely: Bool = false, all: Bool = false) async throws -> Int {
        try await clean(id, completely, all).count
    }

    /// Cleans the ghosts of the sync down of a name, and counts all of them; else as
    /// ``cleanResyncGhosts(id:completely:all:)``.
    ///
    /// - Returns: how many records of each soup were deleted, without the soups of which none was. Children that go
    ///   because their parent does are not counted.
    public func cleanResyncGhostsBySoup(
        named name: String, completely: Bool = false, all: Bool = false
    ) async throws -> [SoupName: Int] {
        try await clean(try await id(of: name), completely, all).bySoup
    }

    /// Cleans the ghosts of the sync down of a name, and reports what was removed and what could not be asked for; else
    /// as ``cleanResyncGhosts(id:completely:all:)``.
    public func cleanGhosts(
        named name: String, completely: Bool = false, all: Bool = false
    ) async throws -> GhostCleaning {
        let result = try await clean(try await id(of: name), completely, all)
        return GhostCleaning(count: result.count, removedBySoup: result.bySoup, leftOut: result.leftOut)
    }

    private func clean(_ id: Int64, _ completely: Bool, _ all: Bool) async throws -> GhostRun.Result {
        try await holdingSyncs {
            while true {
                guard let known = try await services.backend.read({ try SyncsSoup.row(id, in: $0) }) else {
                    throw SoupError(.syncNotFound, "there is no sync with the id \(id)")
                }
                let definition = known.state.definition
                guard definition.type == .syncDown else {
                    throw SoupError(
                        .notASyncDown,
                        "ghosts can be cleaned for sync downs only, and \(definition.name ?? "\(id)") is a sync up",
                        hint: "Name the sync that brings the records.")
                }
                if let result = try await clean(id, definition, completely, all) { return result }
            }
        }
    }

    /// Cleans the ghosts of a sync down.
    ///
    /// - Returns: nil when the sync is gone, or was given another definition, meanwhile.
    private func clean(
        _ id: Int64, _ definition: SyncDefinition, _ completely: Bool, _ all: Bool
    ) async throws -> GhostRun.Result? {
        let target = try services.registry.downTarget(of: definition)
        let soups = target.recordLayout(for: definition.soup).soups
        let work = try reserve(id, RunQueue.Claim(soups: soups, isExclusive: false))
        let services = services
        let queue = queue
        let cleaning = Task { () async throws -> GhostRun.Result? in
            try await queue.turn(of: work.place)
            // From now on nobody else writes the row.
            guard let row = try await services.backend.read({ try SyncsSoup.row(id, in: $0) }),
                row.state.definition == definition
            else { return nil }
            let run = GhostRun(services: services, row: row, target: target, removesAll: all)
            let result = try await run.run(completely: completely)
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
            // Whoever stopped the manager ended this too; the caller's own cancellation stays what it is.
            if cleaning.isCancelled, !Task.isCancelled { try checkAccepting() }
            let error = services.masked(error)
            throw (error as? SoupError).map { RunRemedy.cleaning.given(to: $0) } ?? error
        }
    }
}
