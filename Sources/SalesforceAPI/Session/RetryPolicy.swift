// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore

/// When a request is sent again and after how long.
///
/// A request is repeated when that cannot do its work twice: always for requests that only read, else only when the
/// server certainly did not carry it out: it could not be reached, or answered 429 or 503 with an error of Salesforce's
/// own. Every other answer may come from a gateway, after the server has done its work. Updates and deletions, which
/// can be repeated, are also sent again after a 429 or 503 with a `Retry-After` header.
public struct RetryPolicy: Sendable, Hashable {
    /// How often a request is sent at most, the first time included.
    public var maximumAttempts: Int
    /// The first pause in milliseconds; each following one is twice as long.
    public var firstPause: Int64
    /// No pause is longer, in milliseconds.
    ///
    /// A server that asks for a longer one (`Retry-After`) gets its answer passed on.
    public var longestPause: Int64

    /// Makes a policy: at least one attempt, no negative pause, and none above a day (86,400,000).
    public init(maximumAttempts: Int = 4, firstPause: Int64 = 500, longestPause: Int64 = 60_000) {
        self.maximumAttempts = max(1, maximumAttempts)
        self.firstPause = max(0, firstPause)
        self.longestPause = min(max(0, longestPause), 86_400_000)
    }

    /// Four attempts, with pauses from half a second on, none above a minute.
    public static let standard = RetryPolicy()
    /// Every request is sent once; a renewed session still sends it again.
    public static let never = RetryPolicy(maximumAttempts: 1)

    /// The pause before attempt `attempt + 1`, between half of the exponential step and the whole of it.
    ///
    /// - Parameters:
    ///   - attempt: counted from 1.
    ///   - random: from 0 up to 1.
    func pause(after attempt: Int, random: Double) -> Int64 {
        let step = min(longestPause, min(firstPause, longestPause) * (1 << min(attempt - 1, 20)))
        return step / 2 + Int64(Double(step) / 2 * min(max(random, 0), 1))
    }

    /// How long to wait before sending again what was answered so; nil when it must not be sent again.
    func pause(
        after attempt: Int, answer: HTTPAnswer, to request: HTTPRequest, now: Int64, random: Double
    ) -> Int64? {
        guard attempt < maximumAttempts else { return nil }
        let mayRepeat =
            if request.isSafe {
                [429, 502, 503, 504].contains(answer.status)
            } else {
                request.isRepeatable ? answer.asksToWait : answer.turnsAway
            }
        guard mayRepeat else { return nil }
        let usual = pause(after: attempt, random: random)
        guard let asked = Self.retryAfter(answer, now: now) else { return usual }
        return asked > longestPause ? nil : max(asked, usual)
    }

    /// How long to wait before sending again what got no answer; nil when it must not be sent again.
    func pause(after attempt: Int, error: SoupError, isSafe: Bool, random: Double) -> Int64? {
        guard attempt < maximumAttempts, error.code == .network, isSafe || error.delivery == .notSent else {
            return nil
        }
        return pause(after: attempt, random: random)
    }

    /// What `Retry-After` asks for in milliseconds: a number of seconds or an HTTP date.
    static func retryAfter(_ answer: HTTPAnswer, now: Int64) -> Int64? {
        guard let text = answer.response.headerFields[.retryAfter] else { return nil }
        if let seconds = Int64(text), seconds >= 0 { return min(seconds, 1 << 40) * 1000 }
        return Timestamp.parseHTTPDate(text).map { max(0, $0 - now) }
    }
}

extension HTTPRequest {
    /// Whether sending the request twice has the effect of sending it once: it reads, updates by key, or deletes.
    var isRepeatable: Bool { isSafe || [.put, .patch, .delete].contains(method) }

    /// Whether the request only reads, so that sending it twice does no harm.
    ///
    /// A retrieve of a collection posts its ids.
    var isSafe: Bool {
        switch method {
        case .get, .head, .options: return true
        case .post:
            let path = (self.path ?? "").prefix { $0 != "?" }
            guard let range = path.firstRange(of: "/composite/sobjects/") else { return false }
            let type = path[range.upperBound...]
            return !type.isEmpty && !type.contains("/")
        default: return false
        }
    }
}
