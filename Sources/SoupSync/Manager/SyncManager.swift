// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import Logging
public import SoupCore

/// A manager that synchronizes soups with a server: it defines syncs, runs them and reports their states.
///
/// If the backend supports it, only one manager at a time runs the syncs of a store. A manager holds the backend's
/// lease (``StoreBackend/claimSyncs()``) while work is in progress, and releases it afterwards, because an operating
/// system may terminate a suspended app that holds a lock. Other managers, in this process or another, can define syncs
/// and read their states at any time. While another manager holds the lease, a run throws `syncAlreadyRunning`.
/// Different syncs run concurrently; the same sync never runs twice at once. Every state is saved in the soup
/// `syncs_soup`, with the keys of the mobile SDKs, and is therefore kept when the process ends. No sync starts by
/// itself.
///
/// If a run was killed, stopped, cancelled or failed, the next run of the sync resumes it.
public actor SyncManager {
    let services: RunServices
    let queue: RunQueue
    /// The work in progress, a run or a ghost cleaning, by the ID of the sync; includes work that waits for its turn.
    var active: [Int64: ActiveWork] = [:]
    var isAccepting = true
    /// The backend's lease while ``holds`` is above 0, and the current attempt to claim it.
    private(set) var lease: SyncLease?
    private var claiming: Task<Void, any Error>?
    /// Whether this manager has held the lease before.
    private var hasClaimed = false
    /// The number of holders of the lease: each work in ``active``, and each call that holds it briefly.
    private(set) var holds = 0
    /// Whether the manager was closed and has not been restarted since.
    private var isClosed = false

    /// A run or a ghost cleaning of a sync.
    struct ActiveWork {
        /// Distinguishes this work from earlier work of the same sync.
        let number: Int
        let ticket: RunQueue.Ticket
        /// Resolved when the work has been released.
        let end = Promise<Void>()
        var task: Task<Void, Never>?
        /// Whether cancellation was requested, possibly before there was a task to cancel.
        var isCancelled = false
    }

    private var lastNumber = 0

    /// Opens the syncs of a store, and marks the unfinished runs of the last process as STOPPED.
    ///
    /// While another manager runs the syncs of the store, no run is marked. The lease is released before the
    /// initializer returns.
    ///
    /// - Parameters:
    ///   - backend: the store; the soup `syncs_soup` is created in it if it does not exist.
    ///   - registry: makes the targets that the definitions name.
    ///   - connection: the server of the targets that name no connection.
    ///   - connections: the servers of other targets, by the names that the targets use.
    ///   - clock: must also be the clock of the store, because the times of local edits are compared with it.
    ///   - observer: measures the work of syncs; nil for no measurement, which costs nothing.
    ///   - random: returns numbers in 0..<1, which vary the length of pauses.
    /// - Throws: ``SoupError`` of the store.
    public init(
        backend: any StoreBackend, registry: PluginRegistry, connection: SyncConnection,
        connections: [String: SyncConnection] = [:], clock: any SoupClock = SystemClock(),
        settings: SyncSettings = SyncSettings(),
        logger: Logger = Logger(label: "soupkit.sync"), observer: (any SyncObserver)? = nil,
        random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
    ) async throws {
        let all = SyncConnections(
            standard: connection, named: connections, limit: settings.usableShare, clock: clock)
        let logger = all.masked(logger)
        services = RunServices(
            backend: backend, registry: registry, connections: all, clock: clock, settings: settings,
            logger: logger, sharing: SoupSharing(registry: registry), observer: observer, random: random)
        queue = RunQueue(cap: settings.maximumConcurrentRuns)
        let capabilities = backend.capabilities(of: SyncsSoup.name)
        let specs = try await backend.read { reader in
            try reader.soupExists(SyncsSoup.name) ? reader.indexSpecs(of: SyncsSoup.name) : nil
        }
        if let specs {
            if let better = SyncsSoup.missingSpecs(of: specs, capabilities: capabilities) {
                try await services.alterSyncsSoup(to: better)
            }
        } else {
            try await backend.write { try SyncsSoup.register(in: $0, capabilities: capabilities) }
        }
        let first = try await services.claimSyncs(isFirst: true)
        first?.release()
        hasClaimed = first != nil
    }

    // MARK: - The lease

    /// Runs `body` while this manager holds the lease.
    ///
    /// - Throws: ``SoupError`` with `syncAlreadyRunning` while another manager holds it, `managerStopped` if this
    ///   manager is closed; the errors of the backend and of `body`.
    func holdingSyncs<T: Sendable>(_ body: () async throws -> T) async throws -> T {
        try await holdingSyncsIfFree { isHeld in
            guard isHeld else {
                if isClosed { try checkAccepting() }
                throw SoupError.syncedElsewhere
            }
            return try await body()
        }
    }

    /// Calls `body` and passes whether this manager holds the lease; a closed manager never holds it.
    func holdingSyncsIfFree<T: Sendable>(_ body: (Bool) async throws -> T) async throws -> T {
        guard try await hold() else { return try await body(false) }
        defer { releaseHold() }
        return try await body(true)
    }

    /// Claims the lease unless this manager already holds it.
    ///
    /// - Returns: whether it is held. If so, the caller must call ``releaseHold()`` afterwards.
    private func hold() async throws -> Bool {
        guard !isClosed else { return false }
        // Count the hold first: work that ends during the claim must not release the lease.
        holds += 1
        do {
            if lease == nil {
                // Two concurrent attempts would compete with each other.
                let attempt = claiming ?? Task { try await claim() }
                claiming = attempt
                defer { if claiming == attempt { claiming = nil } }
                try await attempt.value
            }
        } catch {
            releaseHold()
            throw error
        }
        if lease == nil { holds -= 1 }
        return lease != nil
    }

    private func claim() async throws {
        let claimed = try await services.claimSyncs(isFirst: !hasClaimed)
        if claimed != nil { hasClaimed = true }
        // If the manager was closed during the claim, its caller expects that the lease is not held.
        if isClosed { claimed?.release() } else { lease = claimed }
    }

    /// Ends a hold; the end of the last hold releases the lease.
    private func releaseHold() {
        holds -= 1
        guard holds == 0 else { return }
        lease?.release()
        lease = nil
    }

    /// Releases the lease, also if it is being claimed now, and blocks further claims until ``reopen(_:)``.
    func closeLease() async {
        isClosed = true
        _ = await claiming?.result
        lease?.release()
        lease = nil
    }

    /// Allows a closed manager to claim the lease again, and runs `body` while the lease is held.
    ///
    /// - Throws: the errors of ``holdingSyncs(_:)``. If the lease is not free, a closed manager stays closed.
    func reopen<T: Sendable>(_ body: () async throws -> T) async throws -> T {
        let wasClosed = isClosed
        isClosed = false
        do {
            guard try await hold() else { throw SoupError.syncedElsewhere }
        } catch {
            isClosed = wasClosed
            throw error
        }
        defer { releaseHold() }
        return try await body()
    }

    /// Whether the manager was stopped and some runs have not ended yet.
    public var isStopping: Bool { !isAccepting && !active.isEmpty }

    /// Whether the manager was stopped and no work is in progress.
    public var isStopped: Bool { !isAccepting && active.isEmpty }

    /// Reserves a sync for a run or a ghost cleaning, without a suspension in which another caller could reserve it.
    ///
    /// Call it inside ``holdingSyncs(_:)``. The work holds the lease until ``release(_:_:)``.
    ///
    /// - Throws: ``SoupError``: `managerStopped`, `syncAlreadyRunning`.
    func reserve(_ id: Int64, _ claim: RunQueue.Claim) throws -> ActiveWork {
        try checkAccepting()
        guard active[id] == nil else {
            throw SoupError(.syncAlreadyRunning, "sync \(id) is running", hint: "Wait for its end, or cancel it.")
        }
        // The caller's own hold ends earlier; the hold of the work lasts until the work is released.
        holds += 1
        lastNumber += 1
        let work = ActiveWork(number: lastNumber, ticket: queue.join(claim))
        active[id] = work
        return work
    }

    /// Sets the task that does the work, so that it can be cancelled.
    func attach(_ task: Task<Void, Never>, to id: Int64) {
        active[id]?.task = task
        if active[id]?.isCancelled ?? false { task.cancel() }
    }

    /// Ends the reservation of a sync.
    func release(_ id: Int64, _ work: ActiveWork) {
        queue.leave(work.ticket)
        if active[id]?.number == work.number { active[id] = nil }
        // Release the lease before callers are resumed: they may run syncs with another manager at once.
        releaseHold()
        work.end.resolve(())
    }

    /// Cancels the work in progress for a sync, if there is any.
    func cancel(_ id: Int64) {
        active[id]?.isCancelled = true
        active[id]?.task?.cancel()
    }

    /// Cancels a run or a ghost cleaning, but not later work of the same sync.
    func cancel(_ id: Int64, _ work: ActiveWork) {
        if active[id]?.number == work.number { cancel(id) }
    }

    func checkAccepting() throws {
        guard isAccepting else {
            throw SoupError(.managerStopped, "the sync manager was stopped", hint: "Restart it first.")
        }
    }
}

extension SoupError {
    fileprivate static var syncedElsewhere: SoupError {
        SoupError(
            .syncAlreadyRunning, "another process is syncing this store",
            hint: "Run the sync again when the other process has finished.")
    }
}
