// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// A run that has begun.
///
/// The run belongs to its manager: it goes on when this value is dropped.
///
/// ```swift
/// let run = try await manager.reSync(named: "contacts")
/// for await event in run.events {
///     if case .state(let state) = event { print(state.status, state.progress) }
/// }
/// let result = try await run.result()
/// ```
public struct SyncRun: Sendable {
    /// The id of the sync.
    public var id: Int64 { state.id }

    /// How the sync stood when the run began.
    public let state: SyncState

    /// What happens, from the first RUNNING state to the state in which the run ends, which is always the last element.
    ///
    /// Events wait until they are read. They can be read once, by one reader.
    public let events: AsyncStream<SyncEvent>

    let end: RunEnd
    let requestCancel: @Sendable () -> Void

    /// Waits for the end of the run.
    ///
    /// A run that failed or was stopped is a result too. Cancelling the waiting task ends the waiting, not the run.
    ///
    /// - Throws: `CancellationError` when the waiting task is cancelled.
    public func result() async throws -> SyncResult { try await end.wait() }

    /// Asks the run to end as STOPPED, and returns at once.
    ///
    /// A sync down gives up the request in flight; what was saved stays, and the next run goes on from there. A sync up
    /// ends after the answer to the batch in flight, so that no record's fate is unknown.
    public func cancel() { requestCancel() }
}
