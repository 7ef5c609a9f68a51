// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Logging
internal import SoupCore

extension SyncManager {
    /// Runs syncs again and again: at once, when something was changed here that a sync up sends, and from time to
    /// time.
    ///
    /// A round begins at the latest `interval` after the end of the one before. Writes of this process are observed and
    /// cost nothing while there are none. For those of other processes it looks into the store, after longer and longer
    /// pauses while nothing changes: see ``SyncSettings/watchPauses``.
    ///
    /// Each round runs all of them, in order, one after the other. A run that fails, for want of a connection for
    /// instance, does not end the watching: the next round tries again. So do syncs that somebody else runs.
    ///
    /// Ends when the task is cancelled; the run under way is stopped then, and goes on with its next one.
    ///
    /// - Parameters:
    ///   - names: in the order in which they are to run; sync ups in front of sync downs lose no edit.
    ///   - interval: in milliseconds, from the end of a round; at least a second.
    ///   - settling: how long to wait for further changes behind one, in milliseconds.
    ///   - onRound: is told each round when it begins, and when it ends by itself; the next step waits for it.
    ///   - follow: is given each run as it begins, and read to its end before the next one begins; it is not cancelled.
    ///     What it throws ends the watching, when the run has ended: so can whoever watches stop at a session that is
    ///     over and that nobody here can renew.
    /// - Throws: what `follow` throws; ``SoupError`` with `syncNotFound`, `managerStopped`, and of the store;
    ///   `ConfigurationError`; `CancellationError`.
    public func watch(
        _ names: [String], every interval: Int64 = 60_000, settling: Int64 = 500,
        onRound: @escaping @Sendable (WatchRound) async -> Void = { _ in },
        follow: @escaping @Sendable (SyncRun) async throws -> Void
    ) async throws {
        let (soups, lastUp) = try await soupsToWatch(names)
        let backend = services.backend
        // Listening before the first look: no change falls between the two.
        let changes = backend.changes(in: soups)
        let news = WatchNews()
        let listening = Task {
            for await _ in changes { news.tell() }
        }
        defer { listening.cancel() }
        let poll = WatchPoll(services.settings.watchPauses)
        var number = 0
        var hasChanges = false
        while true {
            number += 1
            var told = WatchRound(number: number, startTime: services.clock.now, hasChanges: hasChanges)
            await onRound(told)
            // What was edited while a sync down ran behind them is news for the sync ups.
            try await round(names[..<lastUp], follow)
            let known = try await DirtyEntries(soups, in: backend)
            try await round(names[lastUp...], follow)
            told.endTime = services.clock.now
            await onRound(told)
            let isDue = { @Sendable in try await DirtyEntries(soups, in: backend).hasMore(than: known) }
            // Without sync ups there is nothing here to look for.
            try await pause(interval, news, soups.isEmpty ? nil : poll, until: isDue)
            try await services.clock.sleep(milliseconds: max(0, settling))
            hasChanges = try await isDue()
            if hasChanges { poll?.restart() }
        }
    }

    /// Runs syncs, one after the other, until they are done or the time is up: for the small pieces of work that
    /// operating systems let apps do in the background.
    ///
    /// When the time is up the run under way is stopped: a sync down keeps the pages that it has saved, a sync up waits
    /// for the answer to what it has sent. Those that did not end DONE go on with their next run.
    ///
    /// - Parameter milliseconds: leave the system some seconds of what it grants, for the end of the run under way.
    /// - Throws: ``SoupError`` when a run cannot begin; `CancellationError`, after the run under way was stopped. The
    ///   results of earlier runs are in `syncs_soup`.
    public func run(_ names: [String], within milliseconds: Int64) async throws -> SyncWork {
        let (sum, isBeyond) = services.clock.now.addingReportingOverflow(max(0, milliseconds))
        let deadline = isBeyond ? Int64.max : sum
        var work = SyncWork(results: [], unfinished: names)
        for name in names {
            let rest = deadline - services.clock.now
            guard rest > 0 else { break }
            let run = try await reSync(named: name)
            let clock = services.clock
            let alarm = Task {
                try await clock.sleep(milliseconds: rest)
                run.cancel()
            }
            defer { alarm.cancel() }
            let result = try await withTaskCancellationHandler {
                try await Task { try await run.result() }.value
            } onCancel: {
                run.cancel()
            }
            work.results.append(result)
            if result.state.status == .done { work.unfinished.removeAll { $0 == name } }
            try Task.checkCancellation()
        }
        return work
    }

    // MARK: - Rounds

    /// The soups whose changes the sync ups send, and how many of the syncs there are up to the last sync up.
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
        for name in names {
            try Task.checkCancellation()
            let run: SyncRun
            do {
                run = try await reSync(named: name)
            } catch let error as SoupError where error.code == .syncAlreadyRunning {
                services.logger.info("sync \"\(name)\" is being run by somebody else")
                continue
            }
            let following = Task { try await follow(run) }
            let followed = await withTaskCancellationHandler {
                let followed = await following.result
                _ = try? await Task { try await run.result() }.value
                return followed
            } onCancel: {
                run.cancel()
            }
            try followed.get()
        }
        try Task.checkCancellation()
    }

    /// Waits until the time is up, or until a change makes `isDue` true.
    private func pause(
        _ interval: Int64, _ news: WatchNews, _ poll: WatchPoll?,
        until isDue: @escaping @Sendable () async throws -> Bool
    ) async throws {
        let clock = services.clock
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await clock.sleep(milliseconds: max(1000, interval)) }
            group.addTask {
                // What changed while a round was under way may be something that the round did not see.
                while try await !isDue() { try await news.next() }
            }
            if let poll {
                group.addTask {
                    repeat { try await clock.sleep(milliseconds: poll.next()) } while try await !isDue()
                }
            }
            try await group.next()
            group.cancelAll()
        }
    }
}

/// One round of ``SyncManager/watch(_:every:settling:onRound:follow:)``.
public struct WatchRound: Sendable, Hashable {
    /// Counted from 1.
    public var number: Int
    /// When it began, in milliseconds since 1970, by the clock of the manager.
    public var startTime: Int64
    /// When all of its runs had ended; nil while it goes on.
    public var endTime: Int64?
    /// Whether something that a sync up sends was changed here since the round before; false for the first.
    public var hasChanges: Bool

    /// A round as it is told; nothing is checked.
    public init(number: Int, startTime: Int64, endTime: Int64? = nil, hasChanges: Bool = false) {
        self.number = number
        self.startTime = startTime
        self.endTime = endTime
        self.hasChanges = hasChanges
    }
}

/// What ``SyncManager/run(_:within:)`` got done.
public struct SyncWork: Sendable {
    /// How the runs ended that began, in order.
    public var results: [SyncResult]
    /// The syncs that did not end DONE, or did not begin, in order.
    public var unfinished: [String]
}

/// The entries with local changes, each in the state in which it was seen.
private struct DirtyEntries: Sendable {
    private var versions: [EntryKey: Int64] = [:]

    init(_ soups: Set<SoupName>, in backend: any StoreBackend) async throws {
        versions = try await backend.read { reader in
            var versions: [EntryKey: Int64] = [:]
            for soup in soups where try reader.soupExists(soup) {
                for entry in try reader.retrieve(try reader.dirtyIds(in: soup), from: soup) {
                    versions[EntryKey(soup: soup, id: entry.id)] = entry.lastModified
                }
            }
            return versions
        }
    }

    /// Whether there is an entry, or a state of one, that the other does not have.
    func hasMore(than other: DirtyEntries) -> Bool { versions.contains { other.versions[$0.key] != $0.value } }
}
