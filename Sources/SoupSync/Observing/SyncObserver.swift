// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A type that measures the work of syncs, for metrics and traces.
///
/// `SyncTelemetry` of `SoupMetrics` is one for swift-metrics and swift-distributed-tracing. This one prints the
/// duration of each activity:
///
/// ```swift
/// struct PrintingObserver: SyncObserver {
///     func observe(_ activity: SyncActivity, _ work: () async -> SyncActivityResult) async {
///         let start = ContinuousClock.now
///         let result = await work()
///         print(activity.kind, activity.sync ?? "", result.outcome, ContinuousClock.now - start)
///     }
/// }
/// ```
///
/// Activities are nested: the page fetches, page saves and pushes of a run are observed during the run, in its task or
/// in child tasks of it, and requests during the activity that sends them. Several can be in progress at a time.
/// Task-local values that an observer sets around `work` are visible in the work, also for a target and a transport.
///
/// An observer cannot change a sync. The work is done exactly once, whether the observer calls `work` never, once or
/// several times, and its error is passed on. The run waits for the observer, so it must return quickly.
///
/// Plug-in interface: version 1. `PluginInterface` of `SoupCore` states what may change within it.
public protocol SyncObserver: Sendable {
    /// Performs an activity, by calling `work` once, and measures it.
    ///
    /// - Parameter work: does the work and returns its result; it does not throw, because the result has the error.
    func observe(_ activity: SyncActivity, _ work: () async -> SyncActivityResult) async
}
