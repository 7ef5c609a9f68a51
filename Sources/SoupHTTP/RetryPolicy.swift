// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
package import SoupCore

/// The rules by which a request is retried, and after which pauses.
///
/// A request is retried only if it cannot be carried out twice. Requests that only read are always retried. Other
/// requests are retried only if the server certainly did not carry them out: it could not be reached, or it answered
/// 429 or 503 in the form of its own errors, which only `SessionTransport` knows. Every other response may come from a
/// gateway, after the server has carried out the request. Updates and deletions, which can be repeated, are also
/// retried after a 429 or 503 with a `Retry-After` header.
public struct RetryPolicy: Sendable, Hashable {
    /// The maximum number of attempts, including the first one.
    public var maximumAttempts: Int
    /// The first pause; each following one is twice as long.
    public var firstPause: Duration
    /// The longest pause.
    ///
    /// If the server asks for a longer one (`Retry-After`), its response is returned to the caller.
    public var longestPause: Duration

    /// Creates a policy: at least one attempt, no negative pause, and none above a day.
    public init(
        maximumAttempts: Int = 4, firstPause: Duration = .milliseconds(500), longestPause: Duration = .seconds(60)
    ) {
        self.maximumAttempts = max(1, maximumAttempts)
        self.firstPause = max(.zero, firstPause)
        self.longestPause = min(max(.zero, longestPause), .milliseconds(Self.day))
    }

    /// Four attempts, with pauses from half a second to at most a minute.
    public static let standard = RetryPolicy()
    /// Sends every request once; a renewed session still sends it again.
    public static let never = RetryPolicy(maximumAttempts: 1)

    private static let day: Int64 = 86_400_000
    /// The longest pause in milliseconds.
    private var longest: Int64 { min(max(0, longestPause.milliseconds), Self.day) }

    /// Returns the pause before attempt `attempt + 1`, between half of the exponential step and the whole of it, in
    /// milliseconds.
    ///
    /// - Parameters:
    ///   - attempt: counted from 1.
    ///   - random: from 0 up to 1.
    package func pause(after attempt: Int, random: Double) -> Int64 {
        let first = max(0, min(firstPause.milliseconds, longest))
        let step = min(longest, first * (1 << min(attempt - 1, 20)))
        return step / 2 + Int64(Double(step) / 2 * min(max(random, 0), 1))
    }

    /// Returns the milliseconds to wait before a retry after a response; nil if the request must not be sent
    /// again.
    ///
    /// - Parameter mayRepeat: whether the request can be repeated after this response.
    package func pause(
        after attempt: Int, answer: HTTPAnswer, mayRepeat: Bool, now: Int64, random: Double
    ) -> Int64? {
        guard attempt < maximumAttempts, mayRepeat else { return nil }
        let usual = pause(after: attempt, random: random)
        guard let asked = Self.retryAfter(answer, now: now) else { return usual }
        return asked > longest ? nil : max(asked, usual)
    }

    /// Returns the milliseconds to wait before a retry after an error; nil if the request must not be sent again.
    package func pause(after attempt: Int, error: SoupError, isSafe: Bool, random: Double) -> Int64? {
        guard attempt < maximumAttempts, error.code == .network, isSafe || error.delivery == .notSent else {
            return nil
        }
        return pause(after: attempt, random: random)
    }

    /// Returns the pause of `Retry-After` in milliseconds: a number of seconds or an HTTP date.
    package static func retryAfter(_ answer: HTTPAnswer, now: Int64) -> Int64? {
        guard let text = answer.response.headerFields[.retryAfter] else { return nil }
        if let seconds = Int64(text), seconds >= 0 { return min(seconds, 1 << 40) * 1000 }
        return DateText.parseHTTPDate(text).map { max(0, $0.millisecondsSince1970 - now) }
    }
}
