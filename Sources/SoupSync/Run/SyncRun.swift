// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// A run that has begun.
///
/// The run belongs to its manager. It continues if this value is released.
///
/// ```swift
/// let run = try await manager.reSync(named: "contacts")
/// for await event in run.events() {
///     if case .state(let state) = event { print(state.status, state.progress) }
/// }
/// let result = try await run.value
/// ```
public struct SyncRun: Sendable {
    /// The ID of the sync.
    public var id: Int64 { state.id }

    /// The state of the sync at the start of the run.
    public let state: SyncState

    let log: RunLog.Subscription
    let end: Promise<SyncResult>
    let requestCancel: @Sendable () -> Void

    /// Returns a stream of the run's events, from the first RUNNING state to the final state, which is the last
    /// element.
    ///
    /// Every call returns a stream of its own with all events, also after the run has ended. The events are kept until
    /// all copies of this value are released; a stream that exists then still receives the rest.
    public func events() -> AsyncStream<SyncEvent> { log.events() }

    /// The result of a run that ended DONE, as soon as it ends.
    ///
    /// Records that failed are no error: the result counts them.
    ///
    /// - Throws: the error that ended the run: ``SoupError`` if it failed or waits for a login, `CancellationError` if
    ///   it was stopped; `CancellationError` if the waiting task is cancelled, which does not stop the run.
    public var value: SyncResult {
        get async throws {
            let result = try await end.wait()
            if let error = result.error { throw error }
            guard result.state.status == .done else { throw CancellationError() }
            return result
        }
    }

    /// The result of the run as soon as it ends, also if it failed or was stopped.
    ///
    /// ``SyncResult/error`` contains the reason. If the waiting task is cancelled, it continues to wait.
    public var result: SyncResult { get async { await end.waitUncancelled() } }

    /// Asks the run to end as STOPPED, and returns at once.
    ///
    /// A sync down cancels the request in flight. Saved pages are kept, and the next run resumes from there. A sync up
    /// ends after the response to the batch in flight, so that no record has an unknown outcome.
    public func cancel() { requestCancel() }
}
