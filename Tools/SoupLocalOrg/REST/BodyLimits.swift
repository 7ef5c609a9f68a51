// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The maximum size of a request body in bytes, compressed and decompressed.
struct BodyLimits: Sendable, Hashable {
    /// A kind of body with its own limit.
    enum Kind: Sendable {
        /// Rows, composite requests, logins, seeds: all bodies that are not listed below.
        case request
        /// The records of a job of Bulk API 2.0, alone or with their job.
        case upload
        /// A batch of Bulk API 1.0.
        case batch
    }

    var request = 50 << 20
    var upload = 150_000_000
    var batch = 10_000_000

    subscript(kind: Kind) -> Int {
        switch kind {
        case .request: request
        case .upload: upload
        case .batch: batch
        }
    }

    /// Returns the error for a body that is too long.
    func refusal(_ kind: Kind) -> OrgError {
        switch kind {
        case .request, .upload:
            OrgError(
                413, "EXCEEDED_MAX_SIZE_REQUEST",
                message: "The size of the request exceeded the maximum of \(self[kind]) bytes")
        case .batch:
            OrgError(
                400, "ClientInputError", message: "Failed to read request. Exceeded max size limit of \(self[kind])")
        }
    }
}

extension OrgRequest {
    /// The kind of body that the request's path takes.
    var bodyKind: BodyLimits.Kind {
        guard segments.first == "services", segments.count > 3 else { return .request }
        switch (segments[1], segments[3].lowercased()) {
        case ("data", "jobs") where segments.count > 4 && segments[4].lowercased() == "ingest": return .upload
        case ("async", "job") where segments.count > 5 && segments[5] == "batch": return .batch
        default: return .request
        }
    }

    /// Sets the request's body, decompressed, or the error of a body that cannot be read.
    ///
    /// - Parameter bytes: nil for a body that was longer than its limit, and was discarded.
    mutating func take(_ bytes: [UInt8]?, _ limits: BodyLimits) {
        let kind = bodyKind
        guard let bytes, bytes.count <= limits[kind] else {
            bodyFault = limits.refusal(kind)
            return
        }
        let coding = (header("Content-Encoding") ?? "identity").lowercased()
        guard coding != "identity", !coding.isEmpty, !bytes.isEmpty else {
            body = bytes
            return
        }
        guard coding == "gzip" || coding == "x-gzip" else {
            bodyFault = OrgError(
                415, "UNSUPPORTED_MEDIA_TYPE",
                message: "Content-Encoding \(coding) is not supported: send gzip, or none")
            return
        }
        do {
            body = try Gzip.unpacked(bytes, limit: limits[kind])
        } catch {
            switch error {
            case .damaged:
                bodyFault = OrgError(400, "INVALID_INPUT", message: "The body is not gzip, but its Content-Encoding is")
            case .tooLong: bodyFault = limits.refusal(kind)
            }
        }
    }
}
