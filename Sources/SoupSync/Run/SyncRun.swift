// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// A run that has begun.
///
/// The run belongs to its manager. It continues if this value is released.
///
/// ```swift
/// let run = try await manager.reSync(named: "contacts")
/// for await event in run.events {
///     if case .state(let state) = event { print(state.status, state.progress) }
/// }
/// let result = try await run.result()
/// ```
public struct SyncRun: Sendable {
    /// The ID of the sync.
    public var id: Int64 { state.id }

    /// The state of the sync at the start of the run.
    public let state: SyncState

    /// The events of the run, from the first RUNNING state to the final state, which is always the last element.
    ///
    /// Events are buffered until they are read. They can be read once, by one reader.
    public let events: AsyncStream<SyncEvent>

    let end: RunEnd
    let requestCancel: @Sendable () -> Void

    /// Waits for the end of the run.
    ///
    /// A run that failed or was stopped returns a result too. Cancelling the waiting task ends the wait, not the run.
    ///
    /// - Throws: `CancellationError` if the waiting task is cancelled.
    public func result() async throws -> SyncResult { try await end.wait() }

    /// Asks the run to end as STOPPED, and returns at once.
    ///
    /// A sync down cancels the request in flight. Saved pages are kept, and the next run resumes from there. A sync up
    /// ends after the response to the batch in flight, so that no record has an unknown outcome.
    public func cancel() { requestCancel() }
}
