// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// What became of the changes of a push, kept while its requests go out one after another.
///
/// It holds the rule of ``SyncUpTarget/push(_:in:)``: an error is thrown only while nothing has reached the server;
/// once something has, every change gets an outcome, be it that it was not sent. When the push is to be stopped
/// (``StopSignal``) it sends nothing more.
public struct PushLedger: Sendable {
    private var outcomes: [PushOutcome?]
    /// Whether a request may have reached the server.
    public private(set) var hasReachedServer = false
    /// Why nothing more is sent; nil while the push goes on.
    public private(set) var stop: SoupError?
    /// Objects that the server has shown to exist in this push, in lower case.
    var confirmedObjects: Set<String> = []
    /// The objects of changes whose `NOT_FOUND` counts only when the object exists, by position.
    var unconfirmed: [Int: String] = [:]

    /// - Parameter count: how many changes there are.
    public init(count: Int) { outcomes = Array(repeating: nil, count: count) }

    /// Whether the push is over: then ``exchange(for:_:)`` sends nothing and returns nil.
    public var isStopped: Bool { stop != nil }

    /// Notes the outcome of a change.
    public mutating func settle(_ position: Int, _ outcome: PushOutcome) { outcomes[position] = outcome }

    /// The outcome that a change has so far; nil until it is settled or lost.
    ///
    /// - Parameter position: below the count that the ledger was made with.
    public subscript(position: Int) -> PushOutcome? { outcomes[position] }

    /// Sends a request for the changes at `positions`.
    ///
    /// - Returns: the answer; nil when there is none, or one that refuses everything: then the changes have what can be
    ///   said of them, and the push is to be ended. Only the API's own refusal (``APIAnswer``) refuses everything: an
    ///   answer of a gateway may come after the server has done its work.
    /// - Throws: what `send` throws, when it is certain that nothing of the whole push has reached the server.
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
            try fail(error, positions)
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

    /// Notes that the answer for some changes cannot be used, though the request may have been carried out.
    public mutating func lose(_ positions: [Int], _ reason: String) {
        lose(positions, reason, SoupError(.server, "an answer to the push was lost: \(reason)"))
    }

    private mutating func lose(_ positions: [Int], _ reason: String, _ error: SoupError) {
        for position in positions where outcomes[position] == nil { outcomes[position] = .unknown(.lost(reason)) }
        hasReachedServer = true
        stop = stop ?? error
    }

    private mutating func fail(_ error: any Error, _ positions: [Int]) throws {
        let known = error as? SoupError
        // A transport says what it knows; what says nothing of it comes from before the first byte, but for the
        // network's.
        let wasSent =
            known.map { ($0.code == .network || $0.cause is NetworkFailure) && $0.delivery == .unknown } ?? true
        let isCancelled = error is CancellationError
        let reason = known ?? (isCancelled ? Self.cancelled : SoupError("unexpected", "\(error)", cause: error))
        if wasSent { return lose(positions, isCancelled ? "cancelled" : reason.message, reason) }
        guard hasReachedServer else { throw error }
        stop = reason
    }

    private static var cancelled: SoupError { SoupError("cancelled", "the push was cancelled") }

    /// The outcomes; changes without one were not sent.
    public func finished() -> [PushOutcome] {
        outcomes.map { $0 ?? .notSent(stop ?? SoupError("badTarget", "the push ended before all was sent")) }
    }
}
