// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Logging
internal import SoupCore

extension SyncManager {
    /// Takes no more runs and asks those under way to end as STOPPED; returns at once.
    ///
    /// The manager is ``isStopping`` until the last one has ended and ``isStopped`` then. How a run ends when it is
    /// asked to is told at ``SyncRun/cancel()``. A ghost cleaning throws `managerStopped`.
    public func stop() async {
        isAccepting = false
        for id in active.keys { cancel(id) }
    }

    /// Returns when nothing is under way.
    public func ended() async {
        while let work = active.values.first { await released(work) }
    }

    /// Stops, and returns when nothing is under way and the lease is released.
    ///
    /// Until it is restarted, the manager reads and defines syncs only, and never claims the lease.
    public func close() async {
        await stop()
        await ended()
        await giveUpLease()
    }

    /// Takes runs again.
    ///
    /// - Parameter restartStoppedSyncs: whether to run every sync whose status is STOPPED. It waits for the end of
    ///   those that are still stopping. A sync that cannot begin is passed over; the log says why.
    /// - Throws: ``SoupError``: `managerNotStopped`; `syncAlreadyRunning` when another process syncs the store.
    /// - Returns: the runs that were begun, in the order in which their syncs were created.
    @discardableResult
    public func restart(restartStoppedSyncs: Bool) async throws -> [SyncRun] {
        guard !isAccepting else {
            throw SoupError(.managerNotStopped, "the sync manager was not stopped, so it cannot be restarted")
        }
        return try await reopen {
            isAccepting = true
            guard restartStoppedSyncs else { return [] }
            for work in active.values.filter(\.isCancelled) { await released(work) }
            return try await reSyncAll { $0.status == .stopped }
        }
    }

    /// Runs every sync that was stopped by a session that was over: to be called after a login.
    ///
    /// A sync that cannot begin is passed over; the log says why.
    ///
    /// - Throws: ``SoupError``: `managerStopped`; `syncAlreadyRunning` when another process syncs the store.
    /// - Returns: the runs that were begun, in the order in which their syncs were created.
    @discardableResult
    public func resumeAfterLogin() async throws -> [SyncRun] {
        try checkAccepting()
        return try await holdingSyncs { try await reSyncAll(where: \.isWaitingForLogin) }
    }

    private func reSyncAll(where isMeant: @Sendable @escaping (SyncState) -> Bool) async throws -> [SyncRun] {
        let logger = services.logger
        let stopped = try await services.backend.read { reader in
            try SyncsSoup.rows(in: reader) { logger.warning("sync \($0) is passed over: \($1)") }
                .map(\.state).filter(isMeant).map(\.id)
        }
        var runs: [SyncRun] = []
        for id in stopped {
            do {
                runs.append(try await reSync(id: id))
            } catch {
                services.logger.warning("sync \(id) was not restarted: \(error)")
            }
        }
        return runs
    }
}
