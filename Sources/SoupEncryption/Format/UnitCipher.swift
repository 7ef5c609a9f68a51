// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Encryption

internal import Crypto
internal import Synchronization

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Seals and opens the units of one kind of file: the single place where content is encrypted.
///
/// A stored unit consists of the writer's epoch (16 bytes), the number of the unit among those of the writer (8), the
/// encrypted content, which has the length of the content, and the tag of AES-256-GCM (16). The key is derived from the
/// file's key and the epoch; the nonce is four zero bytes and the number. The tag also authenticates the identity of
/// the file, the kind of content and the position of the unit.
///
/// It can be used from several threads.
package final class UnitCipher: Sendable {
    /// The number of bytes that a stored unit is longer than its content.
    package static let overhead = UnitEpoch.length + 8 + 16

    private let dataKey: DataKey
    /// The bytes that each unit authenticates before its position: the identity of the file and the kind.
    private let place: [UInt8]
    private let epoch: UnitEpoch
    private let epochKey: SymmetricKey
    private let count = Atomic<UInt64>(0)
    private let keys: Mutex<[UnitEpoch: SymmetricKey]>

    /// The number of keys to keep: a file has as many as there were writers of its present units.
    private static let keyLimit = 1024

    /// Creates a cipher, whose units have an epoch of their own.
    package init(_ dataKey: DataKey, _ kind: ContentKind) {
        self.dataKey = dataKey
        place = dataKey.file.bytes + [kind.rawValue]
        epoch = UnitEpoch()
        epochKey = dataKey.key(of: epoch)
        keys = Mutex([epoch: epochKey])
    }

    /// Writes the stored form of a unit to memory of its length, which is ``overhead`` more than that of the content.
    package func seal(
        _ content: UnsafeRawBufferPointer, at index: UInt64, into stored: UnsafeMutableRawBufferPointer
    ) throws {
        let number = count.add(1, ordering: .relaxed).newValue
        let nonce = try AES.GCM.Nonce(data: Self.noncePrefix + .bigEndian(number))
        let box = try AES.GCM.seal(content, using: epochKey, nonce: nonce, authenticating: authenticated(index))
        // The nonce, the encrypted content and the tag; with 12 bytes of nonce there always is a combined form.
        guard let combined = box.combined else { throw UnitIsDamaged(index: index) }
        combined.withUnsafeBytes {
            UnsafeMutableRawBufferPointer(rebasing: stored[Self.nonceStart...]).copyMemory(from: $0)
        }
        epoch.store(in: stored)
    }

    /// Writes the content of a stored unit to memory of its length, which is ``overhead`` less than that of the unit.
    ///
    /// - Parameter stored: the unit; the bytes of its epoch are changed.
    /// - Throws: ``UnitIsDamaged`` if any bit of the unit differs from what was sealed at this position.
    package func open(
        _ stored: UnsafeMutableRawBufferPointer, at index: UInt64, into content: UnsafeMutableRawBufferPointer
    ) throws {
        guard stored.count == content.count + Self.overhead, let start = stored.baseAddress else {
            throw UnitIsDamaged(index: index)
        }
        let key = key(of: UnitEpoch(stored: UnsafeRawBufferPointer(stored)))
        // The end of the epoch becomes the beginning of the nonce, so that the unit is used without a copy.
        stored.storeBytes(of: 0, toByteOffset: Self.nonceStart, as: UInt32.self)
        let combined = Data(
            bytesNoCopy: start + Self.nonceStart, count: stored.count - Self.nonceStart, deallocator: .none)
        do {
            let opened = try AES.GCM.open(
                AES.GCM.SealedBox(combined: combined), using: key, authenticating: authenticated(index))
            opened.withUnsafeBytes { content.copyMemory(from: $0) }
        } catch {
            throw UnitIsDamaged(index: index)
        }
    }

    /// The bytes of a nonce before the number.
    private static let noncePrefix: [UInt8] = [0, 0, 0, 0]
    /// The offset of the nonce in a unit whose epoch is not needed any more.
    private static let nonceStart = UnitEpoch.length - noncePrefix.count

    private func authenticated(_ index: UInt64) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: place.count + 8) { buffer, count in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            bytes.copyBytes(from: place)
            bytes.storeBytes(of: index.bigEndian, toByteOffset: place.count, as: UInt64.self)
            count = place.count + 8
        }
    }

    private func key(of epoch: UnitEpoch) -> SymmetricKey {
        keys.withLock { keys in
            if let key = keys[epoch] { return key }
            if keys.count >= Self.keyLimit { keys.removeAll(keepingCapacity: true) }
            let key = dataKey.key(of: epoch)
            keys[epoch] = key
            return key
        }
    }
}

extension UnitCipher {
    /// Returns the stored form of a unit.
    package func seal(_ content: [UInt8], at index: UInt64) throws -> [UInt8] {
        let length = content.count + Self.overhead
        return try [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            let stored = UnsafeMutableRawBufferPointer(buffer)
            try content.withUnsafeBytes {
                try seal($0, at: index, into: UnsafeMutableRawBufferPointer(rebasing: stored[..<length]))
            }
            count = length
        }
    }

    /// Returns the content of a stored unit.
    ///
    /// - Throws: ``UnitIsDamaged`` as ``open(_:at:into:)``.
    package func open(_ stored: [UInt8], at index: UInt64) throws -> [UInt8] {
        var stored = stored
        let length = max(0, stored.count - Self.overhead)
        return try [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            let content = UnsafeMutableRawBufferPointer(buffer)
            try stored.withUnsafeMutableBytes {
                try open($0, at: index, into: UnsafeMutableRawBufferPointer(rebasing: content[..<length]))
            }
            count = length
        }
    }
}

/// The kind of content of a file, which its units authenticate: a unit of a log is not valid in a database.
package enum ContentKind: UInt8, Sendable, CaseIterable {
    /// A database of SQLite.
    case database = 1
    /// The write-ahead log of a database.
    case log = 2
    /// The rollback journal of a database.
    case journal = 3
    /// A temporary file, whose key is only in memory.
    case temporary = 4
    /// A value of a key-value store.
    case value = 5
}

/// The error for a unit that was not sealed for its position in this file, or was changed afterwards.
package struct UnitIsDamaged: Error, Hashable {
    /// The number of the unit in the file, from 0.
    package var index: UInt64
}

#endif
