// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Encryption

internal import Crypto
internal import Synchronization

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
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
    private let kind: ContentKind
    private let epoch: UnitEpoch
    private let epochKey: SymmetricKey
    private let count = Atomic<UInt64>(0)
    private let keys: Mutex<[UnitEpoch: SymmetricKey]>

    /// The number of keys to keep: a file has as many as there were writers of its present units.
    private static let keyLimit = 1024

    /// Creates a cipher, whose units have an epoch of their own.
    package init(_ dataKey: DataKey, _ kind: ContentKind) {
        self.dataKey = dataKey
        self.kind = kind
        epoch = UnitEpoch()
        epochKey = dataKey.key(of: epoch)
        keys = Mutex([epoch: epochKey])
    }

    /// Returns the stored form of a unit.
    package func seal(_ content: UnsafeRawBufferPointer, at index: UInt64) throws -> Data {
        let number = count.add(1, ordering: .relaxed).newValue
        let nonce = try AES.GCM.Nonce(data: Self.nonce(number))
        let box = try AES.GCM.seal(
            content, using: epochKey, nonce: nonce, authenticating: authenticated(index))
        var stored = Data(capacity: content.count + Self.overhead)
        stored.append(contentsOf: epoch.bytes)
        stored.append(contentsOf: [UInt8].bigEndian(number))
        stored.append(box.ciphertext)
        stored.append(box.tag)
        return stored
    }

    /// Writes the content of a stored unit to memory of its length, which is ``overhead`` less than that of the unit.
    ///
    /// - Throws: ``UnitIsDamaged`` if any bit of the unit differs from what was sealed at this position.
    package func open(
        _ stored: UnsafeRawBufferPointer, at index: UInt64, into content: UnsafeMutableRawBufferPointer
    ) throws {
        guard stored.count == content.count + Self.overhead else { throw UnitIsDamaged(index: index) }
        let body = UnitEpoch.length + 8
        let number = stored[UnitEpoch.length..<body]
        let key = key(of: UnitEpoch(bytes: Array(stored[..<UnitEpoch.length])))
        do {
            let box = try AES.GCM.SealedBox(
                nonce: AES.GCM.Nonce(data: [0, 0, 0, 0] + Array(number)),
                ciphertext: UnsafeRawBufferPointer(rebasing: stored[body..<stored.count - 16]),
                tag: UnsafeRawBufferPointer(rebasing: stored[(stored.count - 16)...]))
            let opened = try AES.GCM.open(box, using: key, authenticating: authenticated(index))
            content.copyBytes(from: opened)
        } catch {
            throw UnitIsDamaged(index: index)
        }
    }

    private static func nonce(_ number: UInt64) -> [UInt8] { [0, 0, 0, 0] + .bigEndian(number) }

    private func authenticated(_ index: UInt64) -> [UInt8] {
        dataKey.file.bytes + [kind.rawValue] + .bigEndian(index)
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
