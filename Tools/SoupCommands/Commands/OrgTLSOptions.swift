// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import Foundation
internal import SoupLocalOrg
internal import SoupKit

/// Whether `soup org serve` speaks https, and with which certificate.
struct OrgTLSOptions: ParsableArguments, Sendable {
    @Flag(name: .long, help: "Speak https, with a certificate made for this run or the one that is named.")
    var tls = false

    @Option(name: .long, help: ArgumentHelp("With --tls: a certificate of your own, in PEM.", valueName: "file"))
    var tlsCertificate: String?

    @Option(name: .long, help: ArgumentHelp("With --tls: the key of that certificate, in PEM.", valueName: "file"))
    var tlsKey: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "With --tls: plain HTTP too, on this port; 0 takes any that is free.", valueName: "port"))
    var httpPort: Int?

    func validate() throws {
        guard tls || httpPort == nil else { throw ValidationError("--http-port needs --tls.") }
        guard (0...65_535).contains(httpPort ?? 0) else { throw ValidationError("Ports go from 0 to 65535.") }
        guard (tlsCertificate == nil) == (tlsKey == nil) else {
            throw ValidationError("--tls-certificate and --tls-key go together.")
        }
        guard tls || tlsCertificate == nil else { throw ValidationError("--tls-certificate needs --tls.") }
    }

    /// A certificate, and the file that clients find it in.
    struct Prepared: Sendable {
        var certificate: ServerCertificate
        var path: String
        /// The folder to remove when the org ends.
        var folder: URL?

        func remove() {
            if let folder { try? FileManager.default.removeItem(at: folder) }
        }
    }

    /// Reads the certificate, or makes one and writes it to a file for clients.
    ///
    /// - Returns: nil without `--tls`.
    /// - Throws: ``SoupError`` with `badConfiguration` for a file that cannot be read or written.
    func prepared() throws -> Prepared? {
        guard tls else { return nil }
        if let tlsCertificate, let tlsKey {
            return Prepared(
                certificate: ServerCertificate(
                    chain: try Self.text(of: tlsCertificate), key: try Self.text(of: tlsKey)),
                path: URL(fileURLWithPath: tlsCertificate).path)
        }
        let certificate = try ServerCertificate.selfSigned()
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
