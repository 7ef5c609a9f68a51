// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension OrgRequest {
    /// Whether the client accepts gzip; without an `Accept-Encoding` header it accepts every coding.
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
