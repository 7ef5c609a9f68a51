// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import Logging
public import SoupCore

/// Keeps soups and a server in step: defines syncs, runs them and tells how they stand.
///
/// One manager at a time runs the syncs of a store, as far as the backend can tell: it holds the backend's claim on
/// them (``StoreBackend/claimSyncs()``) until it is closed or goes. Others, in this process or another, can define
/// syncs and read how they stand; each of them tries again for the claim when it is to run something, and throws
/// `syncAlreadyRunning` as long as it is taken. Different syncs run side by side, the same sync never twice at once.
/// Every state is kept in the soup `syncs_soup`, with the keys of the mobile SDKs, so that it survives the process;
/// nothing starts by itself.
///
/// A run that was killed, stopped, cancelled or failed goes on where it was, the next time its sync runs.
public actor SyncManager {
    let services: RunServices
    let queue: RunQueue
    /// The syncs that something is under way for, a run or a ghost cleaning, waiting ones included.
    var active: [Int64: ActiveWork] = [:]
    var isAccepting = true
    /// The backend's claim on the syncs, and the attempt to get it that is under way.
    private(set) var claim: (any Sendable)?
    private var claiming: Task<Void, any Error>?
    /// Whether the claim was given up for good, until the manager is restarted.
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
    /// While somebody else runs the syncs of the store nothing is taken for a leftover, and nothing can be run.
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
        claim = try await services.claimSyncs()
    }

    /// Whether this manager is the one that may run the syncs of the store.
    ///
    /// Unless it was closed it tries to become it.
    ///
    /// - Throws: what the backend throws.
    func holdsSyncs() async throws -> Bool {
        if claim != nil { return true }
        guard !isClosed else { return false }
        // Two attempts at once would take each other for somebody else.
        let attempt = claiming ?? Task { try await takeClaim() }
        claiming = attempt
        defer { if claiming == attempt { claiming = nil } }
        try await attempt.value
        return claim != nil
    }

    private func takeClaim() async throws {
        let claim = try await services.claimSyncs()
        // Whoever closed the manager meanwhile was told that nothing is held.
        if !isClosed { self.claim = claim }
    }

    /// Gives the claim up, also one that is about to be got; nothing asks for it again before ``reopen()``.
    func giveUpClaim() async {
        isClosed = true
        claim = nil
        _ = await claiming?.result
    }

    /// Gets the claim again.
    ///
    /// - Throws: as ``holdSyncs()``; then the manager is closed if it was.
    func reopen() async throws {
        let wasClosed = isClosed
        isClosed = false
        do {
            try await holdSyncs()
        } catch {
            isClosed = wasClosed
            throw error
        }
    }

    /// Makes sure that this manager may run the syncs of the store.
    ///
    /// - Throws: ``SoupError`` with `syncAlreadyRunning`, `managerStopped` for a manager that was closed; what the
    ///   backend throws.
    func holdSyncs() async throws {
        guard try await holdsSyncs() else {
            if isClosed { try checkAccepting() }
            throw SoupError(
                .syncAlreadyRunning, "another process syncs this store",
                hint: "Wait until it has ended, or let it run the sync.")
        }
    }

    /// Whether the manager was stopped and some runs have not ended yet.
    public var isStopping: Bool { !isAccepting && !active.isEmpty }

    /// Whether the manager was stopped and nothing is under way.
    public var isStopped: Bool { !isAccepting && active.isEmpty }

    /// Reserves a sync for one piece of work, without a pause in which somebody else could.
    ///
    /// - Throws: ``SoupError``: `managerStopped`, `syncAlreadyRunning`.
    func reserve(_ id: Int64, _ claim: RunQueue.Claim) throws -> ActiveWork {
        try checkAccepting()
        guard active[id] == nil else {
            throw SoupError(.syncAlreadyRunning, "sync \(id) is running", hint: "Wait for its end, or cancel it.")
        }
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
