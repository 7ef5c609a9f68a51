// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The speed of a run and its remaining time, estimated from the states that it reports.
///
/// ```swift
/// var pace = SyncPace()
/// for await event in run.events() {
///     guard case .state(let state) = event else { continue }
///     pace.note(state, at: clock.milliseconds)
///     show(pace.done, of: pace.total, pace.recordsPerSecond, pace.remaining)
/// }
/// ```
public struct SyncPace: Sendable, Hashable {
    /// The number of processed records, with the precision of the progress in percent.
    public private(set) var done = 0
    /// The total number of records; `nil` while it is unknown.
    public private(set) var total: Int?
    /// The number of records per second, over slightly more than the last ten seconds; `nil` until some were processed.
    public private(set) var recordsPerSecond: Double?
    /// The remaining time at this speed, in whole milliseconds; `nil` while it is unknown.
    public private(set) var remaining: Duration?
    private var marks: [Mark] = []

    private struct Mark: Sendable, Hashable {
        var time: Int64
        var done: Int
    }

    /// The period over which the speed is measured, in milliseconds.
    private static let span: Int64 = 10_000

    /// Creates an estimate without any data.
    public init() {}

    /// Adds a state of the run.
    ///
    /// - Parameter time: the time of the state; an earlier time than the previous one is replaced by that.
    public mutating func note(_ state: SyncState, at time: Date) {
        let time = time.millisecondsSince1970
        let now = max(time, marks.last?.time ?? time)
        total = state.totalSize >= 0 ? state.totalSize : nil
        if let total { done = state.status == .done ? total : total * max(0, min(100, state.progress)) / 100 }
        marks.append(Mark(time: now, done: done))
        while marks.count > 2, marks[1].time <= now - Self.span { marks.removeFirst() }
        guard let first = marks.first, now > first.time, recordsPerSecond != nil || done > first.done else { return }
        let pace = Double(max(0, done - first.done)) * 1000 / Double(now - first.time)
        recordsPerSecond = pace
        remaining = pace > 0 ? total.map { Self.duration(of: max(0, $0 - done), at: pace) } : nil
    }

    /// Returns the time for a number of records, at most a thousand years.
    private static func duration(of records: Int, at pace: Double) -> Duration {
        .milliseconds(Int64(min((Double(records) * 1000 / pace).rounded(.up), 31_557_600_000_000)))
    }
}
