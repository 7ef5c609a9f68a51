// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Encryption

internal import Crypto

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The random key of one file, from which the keys of its units are derived.
///
/// The header of the file contains it, sealed with a key that is derived from the secret of the file's owner. Its
/// memory is overwritten when the last copy is released.
package struct DataKey: Sendable {
    let key: SymmetricKey
    /// The random number of the file, which each unit authenticates: a unit of another file is refused.
    package let file: FileIdentity

    /// Creates a random key, for a file with a random number.
    package init() {
        key = SymmetricKey(size: .bits256)
        file = FileIdentity()
    }

    init(key: SymmetricKey, file: FileIdentity) {
        self.key = key
        self.file = file
    }

    /// Returns the key for one of several files with a common header: a unit of one is not valid in another.
    package func key(ofFile name: String) -> DataKey {
        let digest = SHA256.hash(data: Data(file.bytes + Array(name.utf8)))
        return DataKey(key: key, file: FileIdentity(bytes: Array(digest.prefix(FileIdentity.length))))
    }

    /// Returns 32 bytes that depend on a text, and that cannot be calculated without the key.
    package func hash(of text: String) -> [UInt8] {
        let key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: key, salt: file.bytes, info: Data("SoupKit name".utf8), outputByteCount: 32)
        return Array(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: key))
    }

    /// Returns the key of the units that one writer has sealed.
    func key(of epoch: UnitEpoch) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: key, salt: epoch.bytes, info: Data("SoupKit unit".utf8), outputByteCount: 32)
    }
}

/// The random number of a file: 16 bytes.
package struct FileIdentity: Sendable, Hashable {
    static let length = 16
    package let bytes: [UInt8]

    init() { bytes = .random(count: Self.length) }

    init(bytes: [UInt8]) { self.bytes = bytes }
}

/// The random number of a writer: 16 bytes, new each time a file is opened.
///
/// All units that one writer seals have a key of their own, and are counted. Therefore a nonce never repeats, even
/// though neither writers nor processes know each other.
struct UnitEpoch: Sendable, Hashable {
    static let length = 16
    // Numbers, because the epoch of each unit that is read is looked up.
    private let high: UInt64
    private let low: UInt64

    init() { self = [UInt8].random(count: Self.length).withUnsafeBytes { UnitEpoch(stored: $0) } }

    /// Reads the epoch at the beginning of a stored unit.
    init(stored: UnsafeRawBufferPointer) {
        high = UInt64(bigEndian: stored.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
        low = UInt64(bigEndian: stored.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }

    var bytes: [UInt8] { .bigEndian(high) + .bigEndian(low) }

    /// Writes the epoch to the beginning of a stored unit.
    func store(in stored: UnsafeMutableRawBufferPointer) {
        stored.storeBytes(of: high.bigEndian, toByteOffset: 0, as: UInt64.self)
        stored.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
    }
}

extension [UInt8] {
    /// Returns bytes of the system's random generator for keys.
    static func random(count: Int) -> [UInt8] {
        SymmetricKey(size: SymmetricKeySize(bitCount: count * 8)).withUnsafeBytes { Array($0) }
    }

    /// Returns the bytes of an integer, the most significant one first.
    static func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
        Swift.withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }
}

#endif
