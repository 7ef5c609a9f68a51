// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

#if TLS
    internal import CryptoExtras
#endif

/// A signed login: a JSON Web Token with the client, the user and the expiry.
struct BearerAssertion {
    var issuer: String
    var subject: String
    var audience: String
    /// Milliseconds since 1970.
    var expires: Int64
    private var algorithm: String
    private var signed: [UInt8]
    private var signature: [UInt8]

    /// The time for which an expired assertion is still accepted, in milliseconds: clocks differ, and some clients set
    /// the time at which they signed.
    static let leeway: Int64 = 300_000

    /// Reads a token; nil if it is malformed or one of the four claims is missing.
    init?(_ text: String) {
        let parts = Array(text.utf8).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        let bytes = parts.map { Base64.decoded(String(decoding: $0, as: UTF8.self)) }
        guard let head = bytes[0], let claims = bytes[1], let signature = bytes[2],
            let header = try? JSONValue(parsing: head), let values = try? JSONValue(parsing: claims),
            let issuer = values["iss"]?.stringValue,
            let subject = values["sub"]?.stringValue ?? values["prn"]?.stringValue,
            let audience = values["aud"]?.stringValue ?? values["aud"]?[0]?.stringValue,
            let seconds = values["exp"]?.doubleValue ?? values["exp"]?.stringValue.flatMap({ Double($0) }),
            (0..<1e11).contains(seconds)
        else { return nil }
        self.issuer = issuer
        self.subject = subject
        self.audience = audience
        expires = Int64(seconds * 1000)
        algorithm = header["alg"]?.stringValue ?? ""
        signed = Array(parts[0] + [UInt8(ascii: ".")] + parts[1])
        self.signature = signature
    }

    /// Returns whether a text is a public key in PEM; without the trait `TLS`, whether it looks like one.
    static func isKey(_ text: String) -> Bool {
        #if TLS
            return (try? _RSA.Signing.PublicKey(pemRepresentation: text)) != nil
        #else
            return text.hasPrefix("-----BEGIN ")
        #endif
    }

    /// Returns whether it is signed with a key, by RSA and SHA-256.
    ///
    /// - Parameter key: the public key in PEM.
    /// - Returns: false also for a malformed key, and if the org was built without the trait `TLS`.
    func isSigned(by key: String) -> Bool {
        #if TLS
            guard algorithm == "RS256", let key = try? _RSA.Signing.PublicKey(pemRepresentation: key) else {
                return false
            }
            return key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature), for: signed, padding: .insecurePKCS1v1_5)
        #else
            return false
        #endif
    }
}
