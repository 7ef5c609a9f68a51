// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Encryption

internal import Crypto
internal import CryptoExtras
internal import SoupCore

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The part of a header with the file's key, sealed with a key that is derived from the secret.
struct KeySlot: Sendable, Hashable {
    /// The derivation of the sealing key from the secret.
    enum Derivation: Sendable, Hashable {
        /// HKDF with SHA-256, for a random key.
        case hkdf
        /// scrypt, for a passphrase: the logarithm of the cost N to the base 2, the block size r, the parallelism p.
        case scrypt(logCost: UInt8, blockSize: UInt32, parallelism: UInt32)

        /// The derivation for new slots; with scrypt, it uses 32 MiB three times.
        static func standard(for kind: StoreSecret.Kind) -> Derivation {
            switch kind {
            case .key: .hkdf
            case .passphrase: .scrypt(logCost: 15, blockSize: 8, parallelism: 3)
            }
        }

        /// The secrets that the derivation is for.
        var secretKind: StoreSecret.Kind { self == .hkdf ? .key : .passphrase }
    }

    static let length = 104
    private static let saltLength = 32

    var derivation: Derivation
    var salt: [UInt8]
    /// The nonce (12 bytes), the sealed key (32) and the tag (16).
    var sealedKey: [UInt8]

    /// Seals a key.
    ///
    /// - Parameter authenticated: the bytes of the header that the tag authenticates as well.
    init(sealing dataKey: DataKey, with secret: StoreSecret, authenticating authenticated: [UInt8]) throws {
        derivation = .standard(for: secret.kind)
        salt = .random(count: Self.saltLength)
        sealedKey = []
        let key = try sealingKey(secret)
        let box = try dataKey.key.withUnsafeBytes {
            try AES.GCM.seal($0, using: key, authenticating: authenticated + parameters)
        }
        sealedKey = Array(box.nonce) + Array(box.ciphertext) + Array(box.tag)
    }

    /// Returns the key of the file; nil if the secret is another one.
    func open(with secret: StoreSecret, file: FileIdentity, authenticating authenticated: [UInt8]) throws -> DataKey? {
        guard secret.kind == derivation.secretKind else { return nil }
        let key = try sealingKey(secret)
        guard
            let box = try? AES.GCM.SealedBox(combined: sealedKey),
            var opened = try? AES.GCM.open(box, using: key, authenticating: authenticated + parameters)
        else { return nil }
        defer { opened.resetBytes(in: 0..<opened.count) }
        return DataKey(key: SymmetricKey(data: opened), file: file)
    }

    private func sealingKey(_ secret: StoreSecret) throws -> SymmetricKey {
        try secret.withBytes { bytes in
            switch derivation {
            case .hkdf:
                return HKDF<SHA256>.deriveKey(
                    inputKeyMaterial: SymmetricKey(data: bytes), salt: salt, info: Data("SoupKit file key".utf8),
                    outputByteCount: 32)
            case .scrypt(let logCost, let blockSize, let parallelism):
                return try KDF.Scrypt.deriveKey(
                    from: bytes, salt: salt, outputByteCount: 32, rounds: 1 << Int(logCost),
                    blockSize: Int(blockSize), parallelism: Int(parallelism))
            }
        }
    }
}

extension KeySlot {
    /// The bytes before the sealed key: the derivation, its parameters, and the salt.
    var parameters: [UInt8] {
        let (number, logCost, blockSize, parallelism): (UInt8, UInt8, UInt32, UInt32) =
            switch derivation {
            case .hkdf: (1, 0, 0, 0)
            case .scrypt(let logCost, let blockSize, let parallelism): (2, logCost, blockSize, parallelism)
            }
        return [number, logCost, 0, 0] + [UInt8].bigEndian(blockSize) + [UInt8].bigEndian(parallelism) + salt
    }

    /// The stored form, of ``length`` bytes.
    var bytes: [UInt8] { parameters + sealedKey }

    /// Reads a slot; returns nil for a derivation that this version does not support, or does not allow because of its
    /// cost.
    init?(bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        func integer(at offset: Int) -> UInt32 { bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) } }
        let (logCost, blockSize, parallelism) = (bytes[1], integer(at: 4), integer(at: 8))
        switch bytes[0] {
        case 1:
            guard bytes[1..<12].allSatisfy({ $0 == 0 }) else { return nil }
            derivation = .hkdf
        case 2:
            // Limits for foreign files: 256 MiB, and 16 times the time of the standard.
            guard bytes[2] == 0, bytes[3] == 0, (1...20).contains(logCost), (1...16).contains(blockSize),
                (1...16).contains(parallelism), Int64(blockSize) << (Int64(logCost) + 7) <= 1 << 28,
                Int64(blockSize * parallelism) << Int64(logCost) <= 16 * (3 * 8) << 15
            else { return nil }
            derivation = .scrypt(logCost: logCost, blockSize: blockSize, parallelism: parallelism)
        default:
            return nil
        }
        salt = Array(bytes[12..<12 + Self.saltLength])
        sealedKey = Array(bytes[(12 + Self.saltLength)...])
    }
}

#endif
