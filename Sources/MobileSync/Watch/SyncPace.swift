// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// How fast a run goes, and how long it will take: worked out from the states that it tells.
///
/// ```swift
/// var pace = SyncPace()
/// for await event in run.events {
///     guard case .state(let state) = event else { continue }
///     pace.note(state, at: clock.now)
///     show(pace.done, of: pace.total, pace.recordsPerSecond, pace.remaining)
/// }
/// ```
public struct SyncPace: Sendable, Hashable {
    /// Records that the run is done with, as exactly as the progress in percent tells.
    public private(set) var done = 0
    /// Records of the run; nil while not known.
    public private(set) var total: Int?
    /// Records a second, over the last ten seconds and a bit; nil until some were seen.
    public private(set) var recordsPerSecond: Double?
    /// Milliseconds until the end at this pace; nil while nobody knows.
    public private(set) var remaining: Int64?
    private var marks: [Mark] = []

    private struct Mark: Sendable, Hashable {
        var time: Int64
        var done: Int
    }

    /// How far back the pace is measured, in milliseconds.
    private static let span: Int64 = 10_000

    /// Knows nothing yet.
    public init() {}

    /// Takes note of a state of the run.
    ///
    /// - Parameter now: when it was told, in milliseconds since 1970; a time before the last one counts as that.
    public mutating func note(_ state: SyncState, at now: Int64) {
        let now = max(now, marks.last?.time ?? now)
        total = state.totalSize >= 0 ? state.totalSize : nil
        if let total { done = state.status == .done ? total : total * max(0, min(100, state.progress)) / 100 }
        marks.append(Mark(time: now, done: done))
        while marks.count > 2, marks[1].time <= now - Self.span { marks.removeFirst() }
        guard let first = marks.first, now > first.time, recordsPerSecond != nil || done > first.done else { return }
        let pace = Double(max(0, done - first.done)) * 1000 / Double(now - first.time)
        recordsPerSecond = pace
        remaining = pace > 0 ? total.map { Int64((Double(max(0, $0 - done)) * 1000 / pace).rounded(.up)) } : nil
    }
}
