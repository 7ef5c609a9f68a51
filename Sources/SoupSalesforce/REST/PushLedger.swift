// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The outcomes of the changes in a push, recorded while its requests are sent one after another.
///
/// It implements the rule of ``SyncUpTarget/push(_:in:)``: an error is thrown only while nothing has reached the
/// server. After that, every change gets an outcome, even if it was not sent. If the push is to be stopped
/// (``StopSignal``), no further requests are sent.
public struct PushLedger: Sendable {
    private var outcomes: [PushOutcome?]
    /// Whether a request may have reached the server.
    public private(set) var hasReachedServer = false
    /// The reason why no further requests are sent; nil while the push continues.
    public private(set) var stop: SoupError?
    /// The objects that the server has confirmed in this push, in lower case.
    var confirmedObjects: Set<String> = []
    /// The objects of changes whose `NOT_FOUND` counts only if the object exists, by position.
    var unconfirmed: [Int: String] = [:]

    /// - Parameter count: the number of changes.
    public init(count: Int) { outcomes = Array(repeating: nil, count: count) }

    /// Whether the push has ended: ``exchange(for:_:)`` then sends nothing and returns nil.
    public var isStopped: Bool { stop != nil }

    /// Records the outcome of a change.
    public mutating func setOutcome(_ outcome: PushOutcome, at position: Int) { outcomes[position] = outcome }

    /// The outcome of a change so far; nil until it is recorded or lost.
    ///
    /// - Parameter position: below the count that the ledger was created with.
    package subscript(position: Int) -> PushOutcome? { outcomes[position] }

    /// Sends a request for the changes at `positions`.
    ///
    /// - Returns: the response; nil if there is none, or if it refuses everything. The outcomes of the changes are then
    ///   recorded, and the caller must end the push. Only the API's own refusal (``APIAnswer``) refuses everything: a
    ///   gateway may answer after the server has carried out the request.
    /// - Throws: the error of `send`, if it is certain that nothing of the whole push has reached the server.
    public mutating func exchange(
        for positions: [Int], _ send: () async throws -> HTTPAnswer
    ) async throws -> HTTPAnswer? {
        guard !isStopped else { return nil }
        if Task.isCancelled, !hasReachedServer { throw CancellationError() }
        if Task.isCancelled || StopSignal.isRaised {
            stop = Self.cancelled
            return nil
        }
        let answer: HTTPAnswer
        do {
            answer = try await send()
        } catch {
            try noteFailure(error, at: positions)
            return nil
        }
        if answer.refusesEverything {
            let error = answer.salesforceFailure(of: "the push")
            guard hasReachedServer else { throw error }
            stop = error
            return nil
        }
        hasReachedServer = true
        return answer
    }

    /// Records that the response for some changes is unusable, although the request may have been carried out.
    public mutating func noteLost(_ reason: String, at positions: [Int]) {
        noteLost(
            reason, at: positions,
            error: SoupError(.server, "the response to an earlier request is unusable: \(reason)"))
    }

    private mutating func noteLost(_ reason: String, at positions: [Int], error: SoupError) {
        for position in positions where outcomes[position] == nil { outcomes[position] = .unknown(.lost(reason)) }
        hasReachedServer = true
        stop = stop ?? error
    }

    private mutating func noteFailure(_ error: any Error, at positions: [Int]) throws {
        let known = error as? SoupError
        // A transport reports whether it sent the request. Other errors occur before the first byte, except for network
        // errors.
        let wasSent =
            known.map { ($0.code == .network || $0.cause is NetworkFailure) && $0.delivery == .unknown } ?? true
        let isCancelled = error is CancellationError
        let reason = known ?? (isCancelled ? Self.cancelled : SoupError("unexpected", "\(error)", cause: error))
        if wasSent { return noteLost(isCancelled ? "cancelled" : reason.message, at: positions, error: reason) }
        guard hasReachedServer else { throw error }
        stop = reason
    }

    private static var cancelled: SoupError { SoupError("cancelled", "the push was cancelled") }

    /// Returns the outcomes; changes without one were not sent.
    public func finished() -> [PushOutcome] {
        outcomes.map { $0 ?? .notSent(stop ?? SoupError("badTarget", "the push ended before all changes were sent")) }
    }
}
