// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Server
    internal import HummingbirdCore
    internal import SoupCore

    #if TLS
        internal import HummingbirdTLS
        internal import NIOSSL
    #endif

    extension LocalOrg {
        /// Returns the builder of the server: for plain HTTP, or for HTTPS with a certificate.
        ///
        /// - Throws: ``SoupError`` with `badConfiguration` for an unusable certificate.
        static func builder(_ certificate: OrgCertificate?) throws -> HTTPServerBuilder {
            guard let certificate else { return .http1() }
            #if TLS
                do {
                    let chain = try NIOSSLCertificate.fromPEMBytes(Array(certificate.chain.utf8))
                    let key = try NIOSSLPrivateKey(bytes: Array(certificate.key.utf8), format: .pem)
                    let configuration = TLSConfiguration.makeServerConfiguration(
                        certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
                    _ = try NIOSSLContext(configuration: configuration)
                    return try .tls(.http1(), tlsConfiguration: configuration)
                } catch {
                    throw SoupError(
                        .badConfiguration, "the certificate or its key cannot be used",
                        hint: "Use PEM for both, and the key of the first certificate, without a password.",
                        cause: error)
                }
            #else
                throw SoupError.withoutTLS
            #endif
        }
    }
#endif
