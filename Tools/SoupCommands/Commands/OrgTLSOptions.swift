// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import Foundation
internal import SoupLocalOrg
internal import SoupKit

/// The options of `soup org serve` for HTTPS.
struct OrgTLSOptions: ParsableArguments, Sendable {
    @Flag(name: .long, help: "Use HTTPS, with a new certificate or the one given by --tls-certificate.")
    var tls = false

    @Option(name: .long, help: ArgumentHelp("With --tls: a certificate of your own, in PEM.", valueName: "file"))
    var tlsCertificate: String?

    @Option(name: .long, help: ArgumentHelp("With --tls: the key of that certificate, in PEM.", valueName: "file"))
    var tlsKey: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "With --tls: also serve plain HTTP on this port; 0 for any free port.", valueName: "port"))
    var httpPort: Int?

    func validate() throws {
        guard tls || httpPort == nil else { throw ValidationError("--http-port requires --tls.") }
        guard (0...65_535).contains(httpPort ?? 0) else { throw ValidationError("Give a port from 0 to 65535.") }
        guard (tlsCertificate == nil) == (tlsKey == nil) else {
            throw ValidationError("Give --tls-certificate and --tls-key together.")
        }
        guard tls || tlsCertificate == nil else { throw ValidationError("--tls-certificate requires --tls.") }
    }

    /// A certificate, and the file from which clients read it.
    struct Prepared: Sendable {
        var certificate: OrgCertificate
        var path: String
        /// The folder to remove when the org ends.
        var folder: URL?

        func remove() {
            if let folder { try? FileManager.default.removeItem(at: folder) }
        }
    }

    /// Reads the given certificate, or creates one and writes it to a file for clients.
    ///
    /// - Returns: nil without `--tls`.
    /// - Throws: ``SoupError`` with `badConfiguration` if a file cannot be read or written.
    func prepared() throws -> Prepared? {
        guard tls else { return nil }
        if let tlsCertificate, let tlsKey {
            return Prepared(
                certificate: OrgCertificate(
                    chain: try Self.text(of: tlsCertificate), key: try Self.text(of: tlsKey)),
                path: URL(fileURLWithPath: tlsCertificate).path)
        }
        let certificate = try OrgCertificate.selfSigned()
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("soup-org-\(UUID().uuidString)")
        let file = folder.appendingPathComponent("certificate.pem")
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            try Data(certificate.chain.utf8).write(to: file)
        } catch {
            throw SoupError(.badConfiguration, "the certificate cannot be written to \(file.path)", cause: error)
        }
        return Prepared(certificate: certificate, path: file.path, folder: folder)
    }

    private static func text(of path: String) throws -> String {
        guard let contents = FileManager.default.contents(atPath: path) else {
            throw SoupError(.badConfiguration, "\"\(path)\" cannot be read")
        }
        return String(decoding: contents, as: UTF8.self)
    }
}

#endif
