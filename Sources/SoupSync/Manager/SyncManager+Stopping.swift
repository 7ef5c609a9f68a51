// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Logging
internal import SoupCore

extension SyncManager {
    /// Stops accepting runs and asks those in progress to end as STOPPED; returns at once.
    ///
    /// The manager is ``isStopping`` until the last run has ended, and ``isStopped`` after that. ``SyncRun/cancel()``
    /// describes the end of such a run. A ghost cleaning throws `managerStopped`.
    public func stop() async {
        isAccepting = false
        for id in active.keys { cancel(id) }
    }

    /// Waits until no work is in progress.
    public func ended() async {
        while let work = active.values.first { await work.end.waitUncancelled() }
    }

    /// Stops the manager, and returns when no work is in progress and the lease is released.
    ///
    /// Until it is restarted, the manager only reads and defines syncs, and never claims the lease.
    public func close() async {
        await stop()
        await ended()
        await closeLease()
    }

    /// Accepts runs again.
    ///
    /// - Parameter restartStoppedSyncs: whether to run every sync with the status STOPPED. The method first waits for
    ///   runs that are still stopping. A sync that cannot begin is skipped, and the reason is logged.
    /// - Throws: ``SoupError``: `managerNotStopped`; `syncAlreadyRunning` if another process syncs the store.
    /// - Returns: the started runs, in the order in which their syncs were created.
    @discardableResult
    public func restart(restartStoppedSyncs: Bool) async throws -> [SyncRun] {
        guard !isAccepting else {
            throw SoupError(
                .managerNotStopped, "the sync manager was not stopped, so it cannot be restarted",
                hint: "Call stop() first, or start the syncs with reSync.")
        }
        return try await reopen {
            isAccepting = true
            guard restartStoppedSyncs else { return [] }
            for work in active.values.filter(\.isCancelled) { await work.end.waitUncancelled() }
            return try await reSyncAll { $0.status == .stopped }
        }
    }

    /// Runs every sync that was stopped because its session expired; call it after a login.
    ///
    /// A sync that cannot begin is skipped, and the reason is logged.
    ///
    /// - Throws: ``SoupError``: `managerStopped`; `syncAlreadyRunning` if another process syncs the store.
    /// - Returns: the started runs, in the order in which their syncs were created.
    @discardableResult
    public func resumeAfterLogin() async throws -> [SyncRun] {
        try checkAccepting()
        return try await holdingSyncs { try await reSyncAll(where: \.isWaitingForLogin) }
    }

    /// Runs the syncs whose states are accepted; a sync that cannot begin is skipped, and the reason is logged.
    private func reSyncAll(where isIncluded: @Sendable @escaping (SyncState) -> Bool) async throws -> [SyncRun] {
        let logger = services.logger
        let stopped = try await services.backend.read { reader in
            try SyncsSoup.rows(in: reader) { logger.warning("sync \($0) is skipped: \($1)") }
                .map(\.state).filter(isIncluded).map(\.id)
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
