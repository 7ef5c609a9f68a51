// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

#if canImport(CryptoKit)
    internal import CryptoKit
#else
    internal import Crypto
#endif

/// What a served org shows to clients that speak https: a certificate, and the key that belongs to it.
///
/// ```swift
/// let certificate = try ServerCertificate.selfSigned()
/// try certificate.chain.write(toFile: "org.pem", atomically: true, encoding: .utf8)  // for REQUESTS_CA_BUNDLE
/// try await org.serve(certificate: certificate)
/// ```
public struct ServerCertificate: Sendable, Hashable {
    /// In PEM: the certificate, and behind it those that vouch for it.
    public var chain: String
    /// In PEM, without a password.
    public var key: String

    /// A certificate of one's own.
    ///
    /// Whether the two fit together shows when a server is started with them.
    public init(chain: String, key: String) {
        self.chain = chain
        self.key = key
    }

    /// A certificate for `localhost`, `127.0.0.1` and `::1` that vouches for itself.
    ///
    /// A client trusts it when it is told to, by a file with ``chain`` in it. Its key is new and nowhere else.
    ///
    /// - Parameters:
    ///   - clock: tells the time; the certificate holds from a day before on.
    ///   - days: how long it holds.
    /// - Throws: ``SoupError`` with `badConfiguration` when the system can make no key.
    public static func selfSigned(clock: any SoupClock = SystemClock(), days: Int = 90) throws -> ServerCertificate {
        do {
            let now = clock.now
            let key = P256.Signing.PrivateKey()
            let content = content(key.publicKey, from: now - 86_400_000, to: now + Int64(days) * 86_400_000)
            let signature = try key.signature(for: content).derRepresentation
            let certificate = DER.sequence(content, signatureAlgorithm, DER.bits(Array(signature)))
            return ServerCertificate(chain: pem("CERTIFICATE", certificate), key: key.pemRepresentation + "\n")
        } catch {
            throw SoupError(.badConfiguration, "no certificate can be made here", cause: error)
        }
    }

    /// ECDSA with SHA-256.
    private static let signatureAlgorithm = DER.sequence(DER.identifier(1, 2, 840, 10045, 4, 3, 2))

    /// The part of a certificate that is signed.
    private static func content(_ key: P256.Signing.PublicKey, from: Int64, to: Int64) -> [UInt8] {
        let hash = Array(SHA256.hash(data: key.derRepresentation).prefix(20))
        // The issuer is the subject.
        let name = DER.sequence(DER.set(DER.sequence(DER.identifier(2, 5, 4, 3), DER.text("SoupKit local org"))))
        let names = DER.sequence(
            DER.element(0x82, Array("localhost".utf8)), DER.element(0x87, [127, 0, 0, 1]),
            DER.element(0x87, Array(repeating: 0, count: 15) + [1]))
        let extensions = DER.sequence(
            // An authority, so that strict clients take it as their root; it signs itself only.
            critical(19, DER.sequence(DER.yes)),
            critical(15, DER.bits([0b1000_0100], unused: 2)),
            entry(37, DER.sequence(DER.identifier(1, 3, 6, 1, 5, 5, 7, 3, 1))),
            entry(17, names),
            entry(14, DER.octets(hash)),
            entry(35, DER.sequence(DER.element(0x80, hash))))
        return DER.sequence(
            DER.tagged(0, DER.integer([2])), DER.integer([0x40] + hash.prefix(15)), signatureAlgorithm, name,
            DER.sequence(DER.time(digits(from)), DER.time(digits(to))), name, Array(key.derRepresentation),
            DER.tagged(3, extensions))
    }

    private static func entry(_ number: UInt32, _ value: [UInt8]) -> [UInt8] {
        DER.sequence(DER.identifier(2, 5, 29, number), DER.octets(value))
    }

    private static func critical(_ number: UInt32, _ value: [UInt8]) -> [UInt8] {
        DER.sequence(DER.identifier(2, 5, 29, number), DER.yes, DER.octets(value))
    }

    /// `20260131235959` of an instant.
    private static func digits(_ time: Int64) -> String {
        String(
            decoding: Timestamp.format(time).utf8.filter { (0x30...0x39).contains($0) }.prefix(14), as: UTF8.self)
    }

    private static func pem(_ label: String, _ bytes: [UInt8]) -> String {
        let text = Array(Base64.encoded(bytes).utf8)
        let lines = stride(from: 0, to: text.count, by: 64).map {
            String(decoding: text[$0..<min($0 + 64, text.count)], as: UTF8.self)
        }
        return (["-----BEGIN \(label)-----"] + lines + ["-----END \(label)-----", ""]).joined(separator: "\n")
    }
}
