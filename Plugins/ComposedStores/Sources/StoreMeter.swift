// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore
internal import Synchronization

/// The counts that the copies of a ``MeteredStore`` share.
final class StoreMeter: Sendable {
    private let uptime: @Sendable () -> Duration
    private let state = Mutex(StoreMetrics())

    init(uptime: @escaping @Sendable () -> Duration) { self.uptime = uptime }

    var metrics: StoreMetrics { state.withLock { $0 } }

    /// Returns the time at the beginning of a call.
    func start() -> Duration { uptime() }

    func endRead(_ start: Duration, isFailure: Bool) {
        let duration = uptime() - start
        state.withLock { $0.reads.note(duration, isFailure: isFailure) }
    }

    /// - Parameter entries: the entries that the write changed; nil if it failed.
    func endWrite(_ start: Duration, _ entries: EntryCounts?) {
        let duration = uptime() - start
        state.withLock { state in
            state.writes.note(duration, isFailure: entries == nil)
            state.entriesWritten += entries?.written ?? 0
            state.entriesRemoved += entries?.removed ?? 0
        }
    }
}

extension StoreMetrics.Calls {
    fileprivate mutating func note(_ time: Duration, isFailure: Bool) {
        count += 1
        failures += isFailure ? 1 : 0
        duration += time
        longest = max(longest, time)
    }
}

/// The numbers of entries that a write changed.
struct EntryCounts: Sendable {
    var written = 0
    var removed = 0
}

/// A writer that counts the entries that it changes.
final class CountingWriter: ForwardingWriter {
    let writer: any StoreWriter
    private(set) var counts = EntryCounts()

    init(_ writer: any StoreWriter) { self.writer = writer }

    func upsert(
        _ batch: RecordBatch, into soup: SoupName, matching: UpsertMatch, stamping stamp: RecordBatch.Stamp,
        guarding: WriteGuard
    ) throws -> [UpsertResult] {
        let results = try writer.upsert(batch, into: soup, matching: matching, stamping: stamp, guarding: guarding)
        counts.written += results.count { $0.outcome == .inserted || $0.outcome == .updated }
        return results
    }

    func restore(_ entries: [SoupEntry], in soup: SoupName) throws {
        try writer.restore(entries, in: soup)
        counts.written += entries.count
    }

    func remove(_ removals: [EntryRemoval], from soup: SoupName) throws -> [Int64] {
        let removed = try writer.remove(removals, from: soup)
        counts.removed += removed.count
        return removed
    }

    func remove(matching spec: QuerySpec, from soup: SoupName) throws -> Int {
        let count = try writer.remove(matching: spec, from: soup)
        counts.removed += count
        return count
    }
}
