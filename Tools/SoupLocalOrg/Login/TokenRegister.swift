// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The tokens that the org has issued.
struct TokenRegister: Sendable, Codable {
    /// The user, the client and the scope of a token.
    struct Grant: Sendable, Codable {
        var userId: String
        var clientId: String
        var scope: String
        /// Milliseconds since 1970.
        var issued: Int64

        init(userId: String, clientId: String = "", scope: String = "api refresh_token", issued: Int64 = 0) {
            self.userId = userId
            self.clientId = clientId
            self.scope = scope
            self.issued = issued
        }
    }

    struct Access: Sendable, Codable {
        var grant: Grant
        /// The refresh token from which it was issued.
        var refreshToken: String?
        /// Milliseconds since 1970; nil for never.
        var expires: Int64?
        /// The remaining number of calls; nil for no limit.
        var callsLeft: Int?
    }

    private var access: [String: Access] = [:]
    private var refresh: [String: Grant] = [:]
    private var issued = 0
    /// The first tokens.
    private(set) var first = First()

    struct First: Sendable, Codable {
        var access = ""
        var refresh = ""
    }

    /// Issues the first tokens.
    mutating func start(user: String, clientId: String, org: String, now: Int64) {
        let grant = Grant(userId: user, clientId: clientId)
        let refresh = makeRefreshToken(grant)
        let access = makeAccessToken(grant, org: org, refreshToken: refresh, expires: nil, now: now)
        first = First(access: access, refresh: refresh)
    }

    /// Issues an access token, and removes those that have expired at `now`.
    ///
    /// - Parameter org: the ID of the org, with which tokens begin.
    mutating func makeAccessToken(
        _ grant: Grant, org: String, refreshToken: String?, expires: Int64?, now: Int64
    ) -> String {
        access = access.filter { Self.isValid($0.value, now: now) }
        if access.count >= Self.maximum {
            let oldest = access.filter { $0.key != first.access }.min {
                ($0.value.grant.issued, Self.number(of: $0.key)) < ($1.value.grant.issued, Self.number(of: $1.key))
            }
            if let oldest { access[oldest.key] = nil }
        }
        let token = "\(RecordID.short(org))!local.\(nextText())"
        access[token] = Access(grant: grant, refreshToken: refreshToken, expires: expires)
        return token
    }

    /// The maximum number of access tokens; the oldest ones are removed, except the first.
    static let maximum = 10_000

    /// Returns the number that ``nextText()`` put into a token.
    private static func number(of token: String) -> Int {
        token.split(separator: ".").dropFirst().first.flatMap { Int($0) } ?? 0
    }

    mutating func makeRefreshToken(_ grant: Grant) -> String {
        let token = "5Aep\(nextText())"
        refresh[token] = grant
        return token
    }

    /// Returns a random-looking text for a token: the same in every run, and unique within a run.
    mutating func nextText() -> String {
        // The number may come from a state file that another program has changed.
        issued = max(0, issued).plus(1)
        var random = SplitMix(seed: UInt64(issued) &* 0x5851_F42D_4C95_7F2D)
        return "\(issued).\(String(random.next(), radix: 36))\(String(random.next(), radix: 36))"
    }

    /// Returns an access token that is valid at `now`.
    func access(_ token: String, now: Int64) -> Access? {
        guard let found = access[token], Self.isValid(found, now: now) else { return nil }
        return found
    }

    private static func isValid(_ access: Access, now: Int64) -> Bool {
        (access.expires.map { $0 > now } ?? true) && (access.callsLeft.map { $0 > 0 } ?? true)
    }

    /// Returns the user of an access token that is valid at `now`.
    func user(of token: String, now: Int64) -> String? { access(token, now: now)?.grant.userId }

    func grant(ofRefreshToken token: String) -> Grant? { refresh[token] }

    /// Ends every access token; refresh tokens stay valid.
    mutating func expireAll() { access = [:] }

    /// Limits every access token to a number of calls or a time, unless it ends earlier.
    mutating func limit(calls: Int?, expires: Int64?) {
        access = access.mapValues { access in
            var access = access
            if let calls { access.callsLeft = min(access.callsLeft ?? calls, calls) }
            if let expires { access.expires = min(access.expires ?? expires, expires) }
            return access
        }
    }

    /// Counts a call of an access token with a limited number of calls.
    mutating func countCall(_ token: String) {
        if let left = access[token]?.callsLeft { access[token]?.callsLeft = left - 1 }
    }

    /// Replaces a refresh token with a new one; access tokens issued from it stay valid.
    mutating func rotate(_ token: String) -> String? {
        guard let grant = refresh.removeValue(forKey: token) else { return nil }
        let fresh = makeRefreshToken(grant)
        for (text, found) in access where found.refreshToken == token { access[text]?.refreshToken = fresh }
        return fresh
    }

    /// Ends a token, and with a refresh token the access tokens issued from it.
    ///
    /// - Returns: false for an unknown token.
    mutating func revoke(_ token: String) -> Bool {
        if access.removeValue(forKey: token) != nil { return true }
        guard refresh.removeValue(forKey: token) != nil else { return false }
        access = access.filter { $0.value.refreshToken != token }
        return true
    }
}
