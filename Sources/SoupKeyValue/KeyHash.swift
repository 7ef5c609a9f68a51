// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit)
    internal import CryptoKit
#elseif KeyValue
    internal import Crypto
#else
    /// A placeholder for the hash function in a build without it, where ``KeyValueStores`` cannot be created.
    private struct SHA256 {
        mutating func update(data: [UInt8]) {}
        func finalize() -> [UInt8] { [] }
    }
#endif

/// The prefix of the names of a key's files: the SHA-256 of its bytes, so that any key gives a valid file name.
struct KeyHash: Hashable, Sendable {
    let text: String

    init(_ key: String) {
        var hash = SHA256()
        hash.update(data: Array(key.utf8))
        self.init(bytes: Array(hash.finalize()))
    }

    /// Creates a hash that was calculated with a key.
    init(bytes: [UInt8]) {
        let digits = Array("0123456789abcdef".utf8)
        text = String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Reads a hash from a file name; returns nil for any other text.
    init?(text: some StringProtocol) {
        let isHash = text.utf8.count == 64 && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
        guard isHash else { return nil }
        self.text = String(text)
    }
}
