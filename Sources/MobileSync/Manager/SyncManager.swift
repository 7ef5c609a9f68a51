// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import Logging
public import SoupCore

/// Keeps soups and a server in step: defines syncs, runs them and tells how they stand.
///
/// One manager at a time runs the syncs of a store, as far as the backend can tell. A manager holds the backend's lease
/// (``StoreBackend/claimSyncs()``) while something runs, and releases it when nothing does, because an operating system
/// may end an app that is suspended with a lock held. Other managers, in this process or another, can define syncs and
/// read their states at any time; while the lease is held elsewhere, a run throws `syncAlreadyRunning`. Different syncs
/// run side by side, the same sync never twice at once. Every state is kept in the soup `syncs_soup`, with the keys of
/// the mobile SDKs, so that it survives the process; nothing starts by itself.
///
/// A run that was killed, stopped, cancelled or failed goes on where it was, the next time its sync runs.
public actor SyncManager {
    let services: RunServices
    let queue: RunQueue
    /// The syncs that something is under way for, a run or a ghost cleaning, waiting ones included.
    var active: [Int64: ActiveWork] = [:]
    var isAccepting = true
    /// The backend's lease, while ``holds`` is above 0, and the attempt to get it that is under way.
    private(set) var lease: SyncLease?
    private var claiming: Task<Void, any Error>?
    /// Whether this manager has held the lease before.
    private var hasClaimed = false
    /// How many pieces of work need the lease: everything in ``active``, and calls that hold it for a moment.
    private(set) var holds = 0
    /// Whether the manager was closed, and not restarted since.
    private var isClosed = false
    /// Whoever waits for the end of a piece of work, by its number.
    private var waiters: [Int: [CheckedContinuation<Void, Never>]] = [:]

    /// What is under way for a sync.
    struct ActiveWork {
        /// Tells this piece of work from an earlier one of the same sync.
        let number: Int
        let place: RunQueue.Place
        var task: Task<Void, Never>?
        /// Set when somebody asked for the end before there was a task to cancel.
        var isCancelled = false
    }

    private var lastNumber = 0

    /// Opens the syncs of a store, and takes note of the runs that the last process did not finish: they are STOPPED.
    ///
    /// While another manager runs the syncs of the store, no run is taken for a leftover. The lease is released again
    /// before this returns.
    ///
    /// - Parameters:
    ///   - backend: the store; the soup `syncs_soup` is made in it when it is not there.
    ///   - registry: makes the targets that the definitions name.
    ///   - clock: must be the clock of the store, too: local edits are told from older ones by it.
    ///   - random: numbers from 0 up to 1, for the length of pauses.
    /// - Throws: ``SoupError`` of the store.
    public init(
        backend: any StoreBackend, registry: PluginRegistry, connection: SyncConnection,
        clock: any SoupClock = SystemClock(), settings: SyncSettings = SyncSettings(),
        logger: Logger = Logger(label: "soupkit.sync"),
        random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
    ) async throws {
        var logger = logger
        if let mask = connection.transport.secretMask { logger.handler = MaskedLog(logger.handler, mask) }
        services = RunServices(
            backend: backend, registry: registry, connection: connection, clock: clock, settings: settings,
            logger: logger, sharing: SoupSharing(registry: registry), random: random)
        queue = RunQueue(cap: settings.maximumConcurrentRuns)
        let capabilities = backend.capabilities
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
    /// - Throws: ``SoupError`` with `syncAlreadyRunning` while another manager holds it, `managerStopped` for a manager
    ///   that was closed; what the backend and `body` throw.
    func holdingSyncs<T: Sendable>(_ body: () async throws -> T) async throws -> T {
        try await holdingSyncsIfFree { isHeld in
            guard isHeld else {
                if isClosed { try checkAccepting() }
                throw SoupError.syncedElsewhere
            }
            return try await body()
        }
    }

    /// Runs `body`, which gets whether this manager holds the lease meanwhile; a closed manager never does.
    func holdingSyncsIfFree<T: Sendable>(_ body: (Bool) async throws -> T) async throws -> T {
        guard try await hold() else { return try await body(false) }
        defer { letGo() }
        return try await body(true)
    }

    /// Claims the lease unless this manager holds it already.
    ///
    /// - Returns: whether it is held; then call ``letGo()`` afterwards.
    private func hold() async throws -> Bool {
        guard !isClosed else { return false }
        // Counted first: work that ends meanwhile must not release the lease.
        holds += 1
        do {
            if lease == nil {
                // Two attempts at once would compete with each other.
                let attempt = claiming ?? Task { try await claim() }
                claiming = attempt
                defer { if claiming == attempt { claiming = nil } }
                try await attempt.value
            }
        } catch {
            letGo()
            throw error
        }
        if lease == nil { holds -= 1 }
        return lease != nil
    }

    private func claim() async throws {
        let claimed = try await services.claimSyncs(isFirst: !hasClaimed)
        if claimed != nil { hasClaimed = true }
        // A caller that closed the manager meanwhile expects that nothing is held.
        if isClosed { claimed?.release() } else { lease = claimed }
    }

    /// Ends one hold; the last one releases the lease.
    private func letGo() {
        holds -= 1
        guard holds == 0 else { return }
        lease?.release()
        lease = nil
    }

    /// Gives the lease up, also one that is about to be granted; nothing claims it again before ``reopen(_:)``.
    func giveUpLease() async {
        isClosed = true
        _ = await claiming?.result
        lease?.release()
        lease = nil
    }

    /// Lets a closed manager claim the lease again and runs `body` with it.
    ///
    /// - Throws: as ``holdingSyncs(_:)``; if the lease is not free, the manager is closed if it was.
    func reopen<T: Sendable>(_ body: () async throws -> T) async throws -> T {
        let wasClosed = isClosed
        isClosed = false
        do {
            guard try await hold() else { throw SoupError.syncedElsewhere }
        } catch {
            isClosed = wasClosed
            throw error
        }
        defer { letGo() }
        return try await body()
    }

    /// Whether the manager was stopped and some runs have not ended yet.
    public var isStopping: Bool { !isAccepting && !active.isEmpty }

    /// Whether the manager was stopped and nothing is under way.
    public var isStopped: Bool { !isAccepting && active.isEmpty }

    /// Reserves a sync for one piece of work, without a pause in which another caller could.
    ///
    /// To be called inside ``holdingSyncs(_:)``; the work holds the lease until ``release(_:_:)``.
    ///
    /// - Throws: ``SoupError``: `managerStopped`, `syncAlreadyRunning`.
    func reserve(_ id: Int64, _ claim: RunQueue.Claim) throws -> ActiveWork {
        try checkAccepting()
        guard active[id] == nil else {
            throw SoupError(.syncAlreadyRunning, "sync \(id) is running", hint: "Wait for its end, or cancel it.")
        }
        // The caller holds the lease; this piece of work keeps it until its own release.
        holds += 1
        lastNumber += 1
        let work = ActiveWork(number: lastNumber, place: queue.join(claim))
        active[id] = work
        return work
    }

    /// Names the task that does the work, so that it can be cancelled.
    func attach(_ task: Task<Void, Never>, to id: Int64) {
        active[id]?.task = task
        if active[id]?.isCancelled ?? false { task.cancel() }
    }

    /// Gives a sync free again.
    func release(_ id: Int64, _ work: ActiveWork) {
        queue.leave(work.place)
        if active[id]?.number == work.number { active[id] = nil }
        // Before any caller hears of the end: it may want to run syncs with another manager at once.
        letGo()
        for waiter in waiters.removeValue(forKey: work.number) ?? [] { waiter.resume() }
    }

    /// Returns when a piece of work has been released.
    func released(_ work: ActiveWork) async {
        guard active.values.contains(where: { $0.number == work.number }) else { return }
        await withCheckedContinuation { waiters[work.number, default: []].append($0) }
    }

    /// Cancels what is under way for a sync; nothing when nothing is.
    func cancel(_ id: Int64) {
        active[id]?.isCancelled = true
        active[id]?.task?.cancel()
    }

    /// Cancels one piece of work, not a later one of the same sync.
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
            .syncAlreadyRunning, "another process syncs this store",
            hint: "Wait until it has ended, or let it run the sync.")
    }
}
