// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if TLS
    internal import Crypto
#endif

/// The issued authorization codes, each of which can be redeemed once.
struct AuthorizationCodes: Sendable {
    struct Code: Sendable {
        var grant: TokenRegister.Grant
        var redirect: String
        /// The challenge that the verifier of the token request must match; nil if the client sent none.
        var challenge: String?
        /// Whether the challenge is the hash of the verifier instead of the verifier itself.
        var isHashed: Bool
        /// Whether a client has tried to redeem it.
        var isUsed = false
    }

    private var codes: [String: Code] = [:]
    /// The codes in the order in which they were issued, with some that are removed.
    private var order: [String] = []

    /// The maximum number of codes; the oldest ones are removed.
    static let maximum = 1000

    /// 15 minutes, in milliseconds.
    private static let lifetime: Int64 = 900_000

    var count: Int { codes.count }

    /// Stores a code, and removes expired ones.
    mutating func keep(_ code: Code, as text: String) {
        codes = codes.filter { code.grant.issued - $0.value.grant.issued < Self.lifetime }
        codes[text] = code
        order.append(text)
        if order.count > 2 * Self.maximum { order.removeAll { codes[$0] == nil } }
        while codes.count > Self.maximum, !order.isEmpty { codes[order.removeFirst()] = nil }
    }

    enum Failure: Error { case unknown, expired, otherRedirect, badVerifier }

    /// Redeems a code and returns its grant.
    ///
    /// The code is used up, also if it is rejected.
    mutating func redeem(
        _ text: String, client: String, redirect: String?, verifier: String?, now: Int64
    ) throws(Failure) -> TokenRegister.Grant {
        guard let code = codes[text] else { throw .unknown }
        codes[text]?.isUsed = true
        guard code.grant.clientId == client else { throw .unknown }
        guard !code.isUsed, now - code.grant.issued < Self.lifetime else { throw .expired }
        guard redirect == code.redirect else { throw .otherRedirect }
        guard Self.fits(verifier, code) else { throw .badVerifier }
        return code.grant
    }

    /// Whether challenges that are SHA-256 hashes can be verified; false in a build without the trait `TLS`.
    static var verifiesHashes: Bool {
        #if TLS
            return true
        #else
            return false
        #endif
    }

    private static func fits(_ verifier: String?, _ code: Code) -> Bool {
        guard let challenge = code.challenge else { return verifier == nil }
        guard let verifier else { return false }
        guard code.isHashed else { return verifier == challenge }
        #if TLS
            return Base64.decoded(challenge) == Array(SHA256.hash(data: Array(verifier.utf8)))
        #else
            return false
        #endif
    }
}
