// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A secret that protects encrypted files: a key of 32 random bytes, or a passphrase.
///
/// Its bytes are overwritten when the last reference is released. Texts and arrays from which it was created are not.
/// The value is never part of a description or of an error.
public final class StoreSecret: Sendable {
    /// The form of a secret.
    public enum Kind: Sendable, Hashable {
        /// 32 bytes from a random generator: used as they are.
        case key
        /// A text of a person: made expensive to guess, with a derivation that needs time and memory.
        case passphrase
    }

    /// The number of bytes of a ``Kind/key``.
    public static let keyLength = 32

    /// The form of the secret.
    public let kind: Kind
    /// The only copy of the bytes, which ``init(key:)`` and ``init(passphrase:)`` do not share with their arguments.
    private let bytes: Mutex<[UInt8]>

    /// Creates a secret from the bytes of a key.
    ///
    /// - Throws: ``SoupError`` with `badSecret` if they are not 32 bytes, or if all bytes are equal.
    public init(key: some Collection<UInt8>) throws {
        guard key.count == Self.keyLength else {
            throw SoupError(
                .badSecret, "the key has \(key.count) bytes",
                hint: "Use \(Self.keyLength) bytes from a random generator.")
        }
        guard Set(key).count > 1 else {
            throw SoupError(.badSecret, "all bytes of the key are equal", hint: "Use random bytes.")
        }
        kind = .key
        bytes = Mutex(Self.copy(key))
    }

    /// Creates a secret from a passphrase: its UTF-8 bytes as they are, without Unicode normalization.
    ///
    /// - Throws: ``SoupError`` with `badSecret` if it is empty.
    public init(passphrase: String) throws {
        guard !passphrase.isEmpty else {
            throw SoupError(.badSecret, "the passphrase is empty", hint: "Enter a passphrase.")
        }
        kind = .passphrase
        bytes = Mutex(Self.copy(passphrase.utf8))
    }

    deinit { bytes.withLock { Self.overwrite(&$0) } }

    /// Calls a function with the bytes, which it must not keep.
    package func withBytes<T: Sendable>(_ body: (UnsafeRawBufferPointer) throws -> T) rethrows -> T {
        try bytes.withLock { try $0.withUnsafeBytes(body) }
    }

    /// Compares the forms and the bytes.
    package func isSame(as other: StoreSecret) -> Bool {
        // One lock after the other: two comparisons could wait for each other.
        var copy = withBytes(Self.copy)
        defer { Self.overwrite(&copy) }
        return kind == other.kind && other.withBytes { $0.elementsEqual(copy) }
    }

    /// Returns the bytes in memory of their own.
    private static func copy(_ bytes: some Collection<UInt8>) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: bytes.count) { buffer, count in
            count = buffer.initialize(fromContentsOf: bytes)
        }
    }

    /// Not optimized: the compiler could remove writes to memory that is released afterwards.
    @_optimize(none) @inline(never)
    private static func overwrite(_ bytes: inout [UInt8]) {
        for index in bytes.indices { bytes[index] = 0 }
    }
}
