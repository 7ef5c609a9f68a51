// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The tokens that the org has given out.
struct TokenRegister: Sendable {
    struct Access: Sendable {
        var userId: String
        /// The refresh token that it was minted from.
        var refreshToken: String?
        /// Milliseconds since 1970; nil for never.
        var expires: Int64?
    }

    private var access: [String: Access] = [:]
    private var refresh: [String: String] = [:]
    private var issued = 0
    /// The tokens that are there from the start.
    private(set) var first = (access: "", refresh: "")

    /// Mints the first tokens.
    mutating func start(user: String) {
        let refresh = makeRefreshToken(user: user)
        first = (makeAccessToken(user: user, refreshToken: refresh, expires: nil), refresh)
    }

    mutating func makeAccessToken(user: String, refreshToken: String?, expires: Int64?) -> String {
        issued += 1
        let token = "00D000000000001!local.\(issued).\(Self.scrambled(issued))"
        access[token] = Access(userId: user, refreshToken: refreshToken, expires: expires)
        return token
    }

    mutating func makeRefreshToken(user: String) -> String {
        issued += 1
        let token = "5Aep\(issued).\(Self.scrambled(issued))"
        refresh[token] = user
        return token
    }

    /// Text that looks like the rest of a token, the same in every run.
    private static func scrambled(_ number: Int) -> String {
        var random = SplitMix(seed: UInt64(number) &* 0x5851_F42D_4C95_7F2D)
        return String(random.next(), radix: 36) + String(random.next(), radix: 36)
    }

    /// The user of an access token that is valid at `now`.
    func user(of token: String, now: Int64) -> String? {
        guard let found = access[token], found.expires.map({ $0 > now }) ?? true else { return nil }
        return found.userId
    }

    func user(ofRefreshToken token: String) -> String? { refresh[token] }

    /// Ends every access token; refresh tokens stay.
    mutating func expireAll() { access = [:] }

    /// Ends one token, and with a refresh token the access tokens that came from it.
    ///
    /// - Returns: false for a token that is not known.
    mutating func revoke(_ token: String) -> Bool {
        if access.removeValue(forKey: token) != nil { return true }
        guard refresh.removeValue(forKey: token) != nil else { return false }
        access = access.filter { $0.value.refreshToken != token }
        return true
    }
}
