// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

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
    private let bytes: SecretBytes

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
        bytes = SecretBytes(key)
    }

    /// Creates a secret from a passphrase: its UTF-8 bytes as they are, without Unicode normalization.
    ///
    /// - Throws: ``SoupError`` with `badSecret` if it is empty.
    public init(passphrase: String) throws {
        guard !passphrase.isEmpty else {
            throw SoupError(.badSecret, "the passphrase is empty", hint: "Enter a passphrase.")
        }
        kind = .passphrase
        bytes = SecretBytes(passphrase.utf8)
    }

    /// Calls a function with the bytes, which it must not keep.
    package func withBytes<T>(_ body: (UnsafeRawBufferPointer) throws -> T) rethrows -> T { try bytes.read(body) }

    /// Compares the forms and the bytes.
    package func isSame(as other: StoreSecret) -> Bool {
        kind == other.kind && withBytes { left in other.withBytes { left.elementsEqual($0) } }
    }
}

/// The memory of a secret.
///
/// It is not changed between the initializer and the deinitializer, so that threads can share it: this makes the
/// conformance to `Sendable` safe.
private final class SecretBytes: @unchecked Sendable {
    private let memory: UnsafeMutableRawBufferPointer

    init(_ bytes: some Collection<UInt8>) {
        memory = .allocate(byteCount: bytes.count, alignment: 1)
        memory.copyBytes(from: bytes)
    }

    deinit {
        Self.overwrite(memory)
        memory.deallocate()
    }

    func read<T>(_ body: (UnsafeRawBufferPointer) throws -> T) rethrows -> T {
        try body(UnsafeRawBufferPointer(memory))
    }

    /// Not optimized: the compiler could remove writes to memory that is released afterwards.
    @_optimize(none) @inline(never)
    private static func overwrite(_ memory: UnsafeMutableRawBufferPointer) {
        for index in memory.indices { memory[index] = 0 }
    }
}
