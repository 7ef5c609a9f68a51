// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The progress of a run in records, with its speed and the estimated remaining time.
///
/// ```swift
/// var progress = SyncProgress()
/// for await event in run.events() {
///     guard case .state(let state) = event else { continue }
///     progress.update(with: state, at: clock.now)
///     show(progress.done, of: progress.total, progress.recordsPerSecond, progress.remaining)
/// }
/// ```
public struct SyncProgress: Sendable, Hashable {
    /// The number of processed records, with the precision of the progress in percent.
    public private(set) var done = 0
    /// The total number of records; `nil` while it is unknown.
    public private(set) var total: Int?
    /// The number of records per second, over slightly more than the last ten seconds; `nil` until some were processed.
    public private(set) var recordsPerSecond: Double?
    /// The remaining time at this speed, in whole milliseconds; `nil` while it is unknown.
    public private(set) var remaining: Duration?
    private var samples: [Sample] = []

    private struct Sample: Sendable, Hashable {
        var time: Int64
        var done: Int
    }

    /// The period over which the speed is measured, in milliseconds.
    private static let span: Int64 = 10_000

    /// Creates the progress of a run that has not reported a state yet.
    public init() {}

    /// Updates the values from a state of the run.
    ///
    /// - Parameter time: the time of the state. If it is earlier than the previous time, the previous time is used.
    public mutating func update(with state: SyncState, at time: Date) {
        let time = time.millisecondsSince1970
        let now = max(time, samples.last?.time ?? time)
        total = state.totalSize >= 0 ? state.totalSize : nil
        if let total { done = state.status == .done ? total : total * max(0, min(100, state.progress)) / 100 }
        samples.append(Sample(time: now, done: done))
        while samples.count > 2, samples[1].time <= now - Self.span { samples.removeFirst() }
        guard let first = samples.first, now > first.time, recordsPerSecond != nil || done > first.done else { return }
        let speed = Double(max(0, done - first.done)) * 1000 / Double(now - first.time)
        recordsPerSecond = speed
        remaining = speed > 0 ? total.map { Self.duration(of: max(0, $0 - done), at: speed) } : nil
    }

    /// Returns the time for a number of records, at most a thousand years.
    private static func duration(of records: Int, at speed: Double) -> Duration {
        .milliseconds(Int64(min((Double(records) * 1000 / speed).rounded(.up), 31_557_600_000_000)))
    }
}
