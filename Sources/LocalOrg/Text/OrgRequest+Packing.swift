// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension OrgRequest {
    /// The longest body that is unpacked, in bytes.
    private static let unpackedLimit = 200_000_000

    /// The request with its body unpacked, or with the reason why it cannot be.
    var unpacked: OrgRequest {
        do {
            return try unpackedBody()
        } catch {
            var copy = self
            copy.bodyFault = error
            return copy
        }
    }

    /// The request with its body unpacked, when it says that it is packed.
    ///
    /// - Throws: ``OrgError``: 400 for a body that is not what it says, 415 for a packing that is not known.
    private func unpackedBody() throws(OrgError) -> OrgRequest {
        guard let coding = header("Content-Encoding")?.lowercased(), coding != "identity", !body.isEmpty else {
            return self
        }
        guard coding == "gzip" || coding == "x-gzip" else {
            throw OrgError(415, "UNSUPPORTED_MEDIA_TYPE", "Content-Encoding \(coding) is not supported: send gzip")
        }
        var copy = self
        do {
            copy.body = try Gzip.unpacked(body, limit: Self.unpackedLimit)
        } catch {
            throw OrgError(400, "INVALID_INPUT", "The body is not gzip")
        }
        return copy
    }

    /// Whether the client can read packed answers: who says nothing of it can read everything.
    var takesGzip: Bool {
        guard let accepted = header("Accept-Encoding")?.lowercased() else { return true }
        return accepted.utf8.split(separator: UInt8(ascii: ",")).contains { coding in
            let parts = coding.split(separator: UInt8(ascii: ";")).map { part in
                String(decoding: part.filter { $0 != 0x20 && $0 != 0x09 }, as: UTF8.self)
            }
            return ["gzip", "x-gzip", "*"].contains(parts.first) && !["q=0", "q=0.0"].contains(parts.dropFirst().first)
        }
    }
}
