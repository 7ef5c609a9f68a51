// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A type that performs the work of a run: a sync down or a sync up.
protocol RunOperation: Sendable {
    /// The row of the sync, as it was last saved.
    var row: SyncRow { get }
    /// The observation of the run; `nil` without an observer.
    var observation: SyncObservation? { get }
    /// The name of the target's connection; `nil` for the standard one.
    var connectionName: String? { get }
    /// The results so far.
    var result: SyncResult { get }
    /// Performs the work; when it returns, the row is saved with the status DONE.
    mutating func run() async throws
}
