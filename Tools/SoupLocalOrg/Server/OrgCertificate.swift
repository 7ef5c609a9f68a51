// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The certificate of a served org for HTTPS, with its key.
///
/// ```swift
/// let certificate = try OrgCertificate.selfSigned()
/// try certificate.chain.write(toFile: "org.pem", atomically: true, encoding: .utf8)  // for REQUESTS_CA_BUNDLE
/// try await org.serve(certificate: certificate)
/// ```
public struct OrgCertificate: Sendable, Hashable {
    /// The certificate in PEM, followed by the certificates of its issuers.
    public var chain: String
    /// The private key in PEM, without a password.
    public var key: String

    /// Creates a value with your own certificate.
    ///
    /// Whether certificate and key match is checked when a server starts with them.
    public init(chain: String, key: String) {
        self.chain = chain
        self.key = key
    }

    /// Creates a self-signed certificate for `localhost`, `127.0.0.1` and `::1`.
    ///
    /// A client trusts it if it is configured with a file that contains ``chain``. The key is new and stored nowhere
    /// else.
    ///
    /// - Parameters:
    ///   - clock: the clock; the certificate is valid from a day before its time.
    ///   - days: the number of days for which it is valid.
    /// - Throws: ``SoupError`` with `badConfiguration` if the system cannot create a key, and in a build without the
    ///   trait TLS.
    public static func selfSigned(clock: any SoupClock = SystemClock(), days: Int = 90) throws -> OrgCertificate {
        #if TLS
            do {
                return try made(at: clock.milliseconds, days: days)
            } catch {
                throw SoupError(.badConfiguration, "the system cannot create a certificate", cause: error)
            }
        #else
            throw SoupError.withoutTLS
        #endif
    }
}

extension SoupError {
    /// The error of a build without HTTPS.
    static var withoutTLS: SoupError {
        SoupError(
            .badConfiguration, "this build of the local org has no HTTPS",
            hint: "Build the package with its trait TLS.")
    }
}
