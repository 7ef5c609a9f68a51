// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

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
    /// - Throws: ``SoupError`` with `badConfiguration` when the system can make no key, and in a build without
    ///   the trait TLS.
    public static func selfSigned(clock: any SoupClock = SystemClock(), days: Int = 90) throws -> ServerCertificate {
        #if TLS
            do {
                return try made(at: clock.now, days: days)
            } catch {
                throw SoupError(.badConfiguration, "no certificate can be made here", cause: error)
            }
        #else
            throw SoupError.withoutTLS
        #endif
    }
}

extension SoupError {
    /// What everything about https throws in a build that has none.
    static var withoutTLS: SoupError {
        SoupError(
            .badConfiguration, "the local org was built without https",
            hint: "Build the package with its trait TLS, which is one of the default traits.")
    }
}
