// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if TLS
    internal import Foundation
    internal import SwiftASN1
    internal import X509

    // On Apple platforms swift-crypto is CryptoKit.
    #if canImport(CryptoKit)
        internal import CryptoKit
    #else
        internal import Crypto
    #endif

    extension OrgCertificate {
        /// Creates a key and a self-signed certificate.
        ///
        /// - Parameter now: the time in milliseconds since 1970.
        static func made(at now: Int64, days: Int) throws -> OrgCertificate {
            let secret = P256.Signing.PrivateKey()
            let key = Certificate.PrivateKey(secret)
            let name = try DistinguishedName { CommonName("SoupKit local org") }
            let identifier = SubjectKeyIdentifier(hash: key.publicKey)
            let day: TimeInterval = 86_400
            let start = Date(timeIntervalSince1970: TimeInterval(now / 1000) - day)
            let loopback: [[UInt8]] = [[127, 0, 0, 1], Array(repeating: 0, count: 15) + [1]]
            let certificate = try Certificate(
                version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key.publicKey, notValidBefore: start,
                notValidAfter: start + TimeInterval(days + 1) * day, issuer: name, subject: name,
                signatureAlgorithm: .ecdsaWithSHA256,
                extensions: try Certificate.Extensions {
                    // A certificate authority, so that strict clients accept it as a root; it signs only itself.
                    Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                    Critical(KeyUsage(digitalSignature: true, keyCertSign: true))
                    try ExtendedKeyUsage([.serverAuth])
                    SubjectAlternativeNames(
                        [.dnsName("localhost")] + loopback.map { .ipAddress(ASN1OctetString(contentBytes: $0[...])) })
                    identifier
                    AuthorityKeyIdentifier(keyIdentifier: identifier.keyIdentifier)
                }, issuerPrivateKey: key)
            return OrgCertificate(
                chain: try certificate.serializeAsPEM().pemString + "\n", key: secret.pemRepresentation + "\n")
        }
    }
#endif
