// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The outcomes of a push while its requests are sent.
///
/// An error is thrown only while nothing has reached the server; afterwards every change has an outcome.
struct PushLog {
    private var outcomes: [PushOutcome?]
    private var hasReachedServer = false
    /// The reason why no further requests are sent.
    private(set) var stop: SoupError?

    init(count: Int) { outcomes = Array(repeating: nil, count: count) }

    /// Records an outcome.
    mutating func set(_ outcome: PushOutcome, at position: Int) { outcomes[position] = outcome }

    /// Sends a request for the changes at `positions`.
    ///
    /// - Returns: nil if there is no response, or the push has ended; the outcomes of the changes are then known.
    /// - Throws: the error of `send`, if it is certain that nothing of the push has reached the server.
    mutating func exchange(
        for positions: [Int], _ send: () async throws -> HTTPAnswer
    ) async throws -> HTTPAnswer? {
        guard stop == nil else { return nil }
        if StopSignal.isRaised || Task.isCancelled {
            guard hasReachedServer else { throw CancellationError() }
            stop = Self.stopped
            return nil
        }
        do {
            let answer = try await send()
            hasReachedServer = true
            return answer
        } catch {
            // Errors of a transport that are not network errors occur before the request is sent.
            let known = error as? SoupError
            let isSent =
                known.map { ($0.code == .network || $0.cause is NetworkFailure) && $0.delivery == .unknown } ?? true
            guard isSent || hasReachedServer else { throw error }
            stop = known ?? Self.stopped
            guard isSent else { return nil }
            hasReachedServer = true
            for position in positions {
                set(.unknown(PushFailure(code: "LOST_ANSWER", message: known?.message ?? "\(error)")), at: position)
            }
            return nil
        }
    }

    /// The outcomes; changes without one were not sent.
    func finished() -> [PushOutcome] { outcomes.map { $0 ?? .notSent(stop ?? Self.stopped) } }

    private static var stopped: SoupError { SoupError("cancelled", "the push was stopped") }
}
