// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

package import SoupCore

/// The attempts to send a request, as a ``RetryPolicy`` defines them.
package struct RepeatedRequest: Sendable {
    private let policy: RetryPolicy
    private let clock: any SoupClock
    private let random: @Sendable () -> Double

    /// - Parameter random: numbers from 0 up to 1, for the length of pauses.
    package init(policy: RetryPolicy, clock: any SoupClock, random: @escaping @Sendable () -> Double) {
        self.policy = policy
        self.clock = clock
        self.random = random
    }

    /// Sends a request until no further attempt is possible or necessary, and returns the last response.
    ///
    /// - Parameters:
    ///   - isSafe: whether the request only reads.
    ///   - mayRepeat: returns whether the request can be sent again after a response.
    ///   - exchange: sends the request once.
    /// - Throws: the last error; `CancellationError` for a request that only reads.
    package func send(
        isSafe: Bool, mayRepeat: (HTTPAnswer) -> Bool, by exchange: () async throws -> HTTPAnswer
    ) async throws -> HTTPAnswer {
        var attempts = 1
        while true {
            let result = try await attempt(exchange)
            let pause: Int64? =
                switch result {
                case .success(let answer):
                    policy.pause(
                        after: attempts, answer: answer, mayRepeat: mayRepeat(answer), now: clock.milliseconds,
                        random: random())
                case .failure(let error):
                    policy.pause(after: attempts, error: error, isSafe: isSafe, random: random())
                }
            guard let pause else { return try result.get() }
            do {
                let clock = self.clock
                try await StopSignal.interruptible { try await clock.sleep(milliseconds: pause) }
            } catch {
                // A caller that writes must learn that nothing was written. A cancellation error would not report that,
                // and a push that is only to be stopped needs it as well.
                if isSafe, Task.isCancelled { throw error }
                return try result.get()
            }
            attempts += 1
            RequestRetries.current?.note()
        }
    }

    private func attempt(_ exchange: () async throws -> HTTPAnswer) async throws -> Result<HTTPAnswer, SoupError> {
        do {
            return .success(try await exchange())
        } catch let error as SoupError {
            return .failure(error)
        }
    }
}
