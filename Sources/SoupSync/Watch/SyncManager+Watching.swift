// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Logging
internal import SoupCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension SyncManager {
    /// Runs syncs repeatedly: at once, after local changes that a sync up pushes, and at regular intervals.
    ///
    /// A round begins at most `interval` and `debounce` after the end of the previous one; while the requests approach
    /// the limit of ``SyncSettings/requestLimit``, the interval is up to ten times as long. The writes of this process
    /// and of other ones are observed and cost nothing while there are none. If the backend lacks the capability
    /// `foreignChanges`, the method checks the store for writes of other processes, with pauses that grow while nothing
    /// changes: see ``SyncSettings/watchPauses``.
    ///
    /// Each round runs all syncs one after the other, in the order of ``sequence(of:)``. A sync down fetches the
    /// changes and the deletions since its last run; it looks back for late commits once in each period of the target's
    /// ``SyncDownTarget/lookback``. If a run fails, for example without a connection, the watch continues, and the next
    /// round runs the sync again. The same applies to a sync that another manager is running.
    ///
    /// The watch ends when the task is cancelled. The run in progress is then stopped, and the next run of its sync
    /// resumes it.
    ///
    /// - Parameters:
    ///   - names: the syncs in the order in which they are to run. If sync ups come before sync downs, no edit is lost.
    ///   - interval: the time from the end of a round; at least a second.
    ///   - debounce: the time to wait for further changes after a change.
    ///   - onRound: called when a round begins and when it ends without an error; the next step waits for it.
    ///   - follow: called with each run as it begins, and awaited before the next run begins; it is not cancelled. If
    ///     it throws, the watch ends when the run has ended. The app can use this to stop the watch if the session has
    ///     expired and cannot be renewed.
    /// - Throws: the errors of `follow`; ``SoupError`` with `syncNotFound`, `managerStopped`, and of the store;
    ///   `ConfigurationError`; `CancellationError`.
    public func watch(
        _ names: [String], every interval: Duration = .seconds(60), debounce: Duration = .milliseconds(500),
        onRound: @escaping @Sendable (WatchRound) async -> Void = { _ in },
        follow: @escaping @Sendable (SyncRun) async throws -> Void
    ) async throws {
        let (soups, lastUp) = try await soupsToWatch(names)
        let backend = services.backend
        // Start observing before the first check, so that no change is missed between the two.
        let changes = backend.changes(in: soups)
        let signal = WakeSignal()
        let observation = Task {
            for await _ in changes { signal.send() }
        }
        defer { observation.cancel() }
        // Without sync ups, there are no soups to check.
        let isComplete = soups.allSatisfy { backend.capabilities(of: $0).contains(.foreignChanges) }
        let poll = isComplete ? nil : WatchPoll(services.settings.watchPauses)
        var number = 0
        var hasChanges = false
        while true {
            number += 1
            var current = WatchRound(number: number, startTime: services.clock.now, hasChanges: hasChanges)
            await onRound(current)
            // Edits made while the sync downs after the last sync up run must start a new round, so `known` is read
            // before them.
            try await round(names[..<lastUp], follow)
            let known = try await DirtyEntries(soups, in: backend)
            try await round(names[lastUp...], follow)
            current.endTime = services.clock.now
            await onRound(current)
            let isDue = { @Sendable in try await DirtyEntries(soups, in: backend).hasMore(than: known) }
            let pauseLength = try await pauseLength(interval, names)
            try await pause(for: pauseLength, signal: signal, poll: poll, until: isDue)
            try await services.clock.sleep(for: max(.zero, debounce))
            hasChanges = try await isDue()
            if hasChanges { poll?.restart() }
        }
    }

    /// Runs syncs one after the other, in the order of ``sequence(of:)``, until they are done or the time is up.
    ///
    /// It is intended for the short background tasks that operating systems grant to apps. When the time is up, the run
    /// in progress is stopped: a sync down keeps the pages that it has saved, and a sync up finishes the request in
    /// flight. A sync that did not end DONE is resumed by its next run.
    ///
    /// - Parameter limit: the time limit. It should be a few seconds less than the system grants, so that the
    ///   run in progress can end.
    /// - Throws: ``SoupError`` if a run cannot begin; `CancellationError`, after the run in progress was stopped. The
    ///   results of earlier runs are in `syncs_soup`.
    public func run(_ names: [String], within limit: Duration) async throws -> SyncWork {
        let (sum, isBeyond) = services.clock.milliseconds.addingReportingOverflow(max(0, limit.milliseconds))
        let deadline = isBeyond ? Int64.max : sum
        var work = SyncWork(results: [], unfinished: names)
        var sequence = try await sequence(of: names)
        while let name = sequence.next() {
            let rest = deadline - services.clock.milliseconds
            guard rest > 0 else { break }
            let run = try await reSync(named: name)
            let clock = services.clock
            let timeout = Task {
                try await clock.sleep(milliseconds: rest)
                run.cancel()
            }
            defer { timeout.cancel() }
            let result = await withTaskCancellationHandler {
                await run.result
            } onCancel: {
                run.cancel()
            }
            sequence.finished(name, result)
            work.results.append(result)
            if result.state.status == .done { work.unfinished.removeAll { $0 == name } }
            try Task.checkCancellation()
        }
        return work
    }

    /// Returns the pause after a round: longer if the server reports that few of its requests are left.
    private func pauseLength(_ interval: Duration, _ names: [String]) async throws -> Duration {
        var usage: [APIUsage] = []
        var isRefused = false
        for name in names {
            let definition = try await requireSync(try await id(of: name)).definition
            let connection =
                definition.type == .syncUp
                ? try services.registry.upTarget(of: definition).connectionName
                : try services.registry.downTarget(of: definition).connectionName
            let meter = services.connections.meter(of: connection)
            isRefused = isRefused || meter.isRefused(at: services.clock.milliseconds)
            if let known = meter.latest?.usage { usage.append(known) }
        }
        let share = services.settings.usableShare
        let factor = isRefused ? WatchPacing.maximum : usage.map { WatchPacing.factor($0, limit: share) }.max() ?? 1
        if factor > 1 {
            services.logger.notice("few API requests are left, so the pause between rounds is \(factor) times as long")
        }
        return interval * factor
    }

    // MARK: - Rounds

    /// Returns the soups whose changes the sync ups push, and the number of syncs up to and including the last sync up.
    private func soupsToWatch(_ names: [String]) async throws -> (soups: Set<SoupName>, lastUp: Int) {
        var soups: Set<SoupName> = []
        var lastUp = 0
        for (position, name) in names.enumerated() {
            let id = try await id(of: name)
            guard let definition = try await status(id: id)?.definition, definition.type == .syncUp else { continue }
            soups.formUnion(
                try services.registry.upTarget(of: definition).recordLayout(for: definition.soup).soups)
            lastUp = position + 1
        }
        return (soups, lastUp)
    }

    private func round(
        _ names: ArraySlice<String>, _ follow: @escaping @Sendable (SyncRun) async throws -> Void
    ) async throws {
        var sequence = try await sequence(of: Array(names))
        while let name = sequence.next() {
            try Task.checkCancellation()
            let run: SyncRun
            do {
                run = try await reSync(id: try await id(of: name), skippingLookback: true)
            } catch let error as SoupError where error.code == .syncAlreadyRunning {
                services.logger.info("sync \"\(name)\" is being run by another process")
                continue
            }
            let following = Task { try await follow(run) }
            let (followed, result) = await withTaskCancellationHandler {
                let followed = await following.result
                return (followed, await run.result)
            } onCancel: {
                run.cancel()
            }
            sequence.finished(name, result)
            try followed.get()
        }
        try Task.checkCancellation()
    }

    /// Waits until the time is up, or until a change makes `isDue` return `true`.
    private func pause(
        for interval: Duration, signal: WakeSignal, poll: WatchPoll?,
        until isDue: @escaping @Sendable () async throws -> Bool
    ) async throws {
        let clock = services.clock
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await clock.sleep(for: max(.seconds(1), interval)) }
            group.addTask {
                // A change that was made during a round may not have been part of the round, so check before waiting.
                while try await !isDue() { try await signal.wait() }
            }
            if let poll {
                group.addTask {
                    repeat { try await clock.sleep(for: poll.next()) } while try await !isDue()
                }
            }
            try await group.next()
            group.cancelAll()
        }
    }
}

/// One round of ``SyncManager/watch(_:every:debounce:onRound:follow:)``.
public struct WatchRound: Sendable, Hashable {
    /// The number of the round, starting at 1.
    public var number: Int
    /// The start time, by the clock of the manager.
    public var startTime: Date
    /// The time at which all of its runs had ended; `nil` while the round is in progress.
    public var endTime: Date?
    /// Whether there were new local changes to push since the previous round; `false` for the first round.
    public var hasChanges: Bool

    /// Creates a round; the values are not checked.
    public init(number: Int, startTime: Date, endTime: Date? = nil, hasChanges: Bool = false) {
        self.number = number
        self.startTime = startTime
        self.endTime = endTime
        self.hasChanges = hasChanges
    }
}

/// The result of ``SyncManager/run(_:within:)``.
public struct SyncWork: Sendable {
    /// The results of the runs that began, in order.
    public var results: [SyncResult]
    /// The syncs that did not end DONE, or did not begin, in order.
    public var unfinished: [String]
}

/// The entries with local changes, each with its version at that time.
private struct DirtyEntries: Sendable {
    private var versions: [EntryKey: Int64] = [:]

    init(_ soups: Set<SoupName>, in backend: any StoreBackend) async throws {
        versions = try await backend.read { reader in
            var versions: [EntryKey: Int64] = [:]
            for soup in soups where try reader.soupExists(soup) {
                for entry in try reader.retrieve(try reader.dirtyIds(in: soup), from: soup) {
                    versions[EntryKey(soup: soup, id: entry.id)] = entry.version
                }
            }
            return versions
        }
    }

    /// Returns whether there is an entry, or a version of an entry, that `other` does not contain.
    func hasMore(than other: DirtyEntries) -> Bool { versions.contains { other.versions[$0.key] != $0.value } }
}
