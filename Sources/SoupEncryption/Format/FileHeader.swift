// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Encryption

internal import Crypto
package import SoupCore

/// The header of an encrypted file: its format, its identity, and its key in a ``KeySlot``.
///
/// The file has two copies of it, so that an interrupted write leaves one of them complete.
package struct FileHeader: Sendable, Hashable {
    /// The number of bytes of one copy.
    static let copyLength = 4096
    /// The number of bytes of both copies; the units follow.
    package static let length = 2 * copyLength

    static let magic = EncryptedFileMark.bytes
    static let version: UInt16 = 1
    /// The identifier of the only cipher: AES-256-GCM, with keys of HKDF-SHA256.
    static let cipher: UInt16 = 1
    /// The longest unit, for foreign files.
    static let unitLengthLimit = 65536
    private static let fixedLength = 48
    private static let digestStart = fixedLength + KeySlot.length

    package var kind: ContentKind
    package var unitLength: Int
    /// Is increased with each change of the secret; the copy with the greater number is the current one.
    var sequence: UInt64
    package var file: FileIdentity
    var slot: KeySlot

    /// Creates the header for a key and a secret.
    package init(
        _ kind: ContentKind, unitLength: Int, key: DataKey, secret: StoreSecret, sequence: UInt64 = 1
    ) throws {
        self.kind = kind
        self.unitLength = unitLength
        self.sequence = sequence
        file = key.file
        let fixed = Self.fixed(kind, unitLength: unitLength, sequence: sequence, file: key.file)
        slot = try KeySlot(sealing: key, with: secret, authenticating: fixed)
    }

    /// Returns the key of the file; nil if the secret is not that of the file.
    package func key(with secret: StoreSecret) throws -> DataKey? {
        try slot.open(with: secret, file: file, authenticating: fixed)
    }

    /// The bytes before the slot, which the sealed key authenticates.
    private var fixed: [UInt8] { Self.fixed(kind, unitLength: unitLength, sequence: sequence, file: file) }

    private static func fixed(
        _ kind: ContentKind, unitLength: Int, sequence: UInt64, file: FileIdentity
    ) -> [UInt8] {
        magic + .bigEndian(version) + .bigEndian(cipher) + [kind.rawValue, 0, 0, 0]
            + .bigEndian(UInt32(unitLength)) + [0, 0, 0, 0] + .bigEndian(sequence) + file.bytes
    }

    /// The stored form of both copies, for a file that is written at once.
    package var bothCopies: [UInt8] { bytes + bytes }

    /// Returns the header for another secret, with the same key.
    package func replacing(_ key: DataKey, with secret: StoreSecret) throws -> FileHeader {
        try FileHeader(kind, unitLength: unitLength, key: key, secret: secret, sequence: sequence + 1)
    }

    /// The stored form of one copy, of ``copyLength`` bytes.
    var bytes: [UInt8] {
        var bytes = fixed + slot.bytes
        bytes += Array(SHA256.hash(data: bytes))
        return bytes + [UInt8](repeating: 0, count: Self.copyLength - bytes.count)
    }

    /// The result of reading the beginning of a file.
    package enum Reading: Sendable, Hashable {
        /// The file is empty, or its creation was interrupted before it contained anything.
        case empty
        /// The file does not have this format.
        case notEncrypted
        /// The current header, and whether the other copy is the same.
        case header(FileHeader, isComplete: Bool)
        /// Both copies are damaged.
        case damaged
        /// A later version of the format, or another cipher.
        case unsupported
    }

    /// Reads the headers at the beginning of a file.
    ///
    /// - Parameter bytes: the first ``length`` bytes, or the whole file if it is shorter.
    package static func read(_ bytes: [UInt8]) -> Reading {
        guard !bytes.isEmpty else { return .empty }
        let copies = [bytes.prefix(copyLength), bytes.dropFirst(copyLength).prefix(copyLength)].map(readCopy)
        let headers = copies.compactMap { copy -> FileHeader? in
            if case .header(let header) = copy { header } else { nil }
        }
        if let current = headers.max(by: { $0.sequence < $1.sequence }) {
            return .header(current, isComplete: headers.count == 2 && headers[0] == headers[1])
        }
        if copies.contains(.unsupported) { return .unsupported }
        if bytes.count < length, isInterruptedCreation(bytes) { return .empty }
        let isOurs = copies.contains(.damaged) || hasMagic(bytes.dropFirst(copyLength))
        return isOurs ? .damaged : .notEncrypted
    }

    /// Returns the valid copies that can be the header of the file, the current one first.
    ///
    /// An older copy of the same file is not among them. A copy of another file can be the current one only because of
    /// a fault outside of SoupKit.
    package static func candidates(_ bytes: [UInt8]) -> [FileHeader] {
        let headers = [bytes.prefix(copyLength), bytes.dropFirst(copyLength).prefix(copyLength)].compactMap { copy in
            if case .header(let header) = readCopy(copy) { header } else { nil as FileHeader? }
        }
        let sorted = headers.sorted { $0.sequence > $1.sequence }
        return sorted.enumerated().filter { index, header in
            index == 0 || header.file != sorted[0].file
        }.map(\.element)
    }

    private enum Copy: Hashable {
        case header(FileHeader)
        case unsupported
        case damaged
        case foreign
    }

    private static func readCopy(_ bytes: ArraySlice<UInt8>) -> Copy {
        guard hasMagic(bytes) else { return .foreign }
        let bytes = Array(bytes)
        guard bytes.count == copyLength else { return .damaged }
        let digest = bytes[digestStart..<digestStart + SHA256.byteCount]
        guard Array(SHA256.hash(data: bytes[..<digestStart])) == Array(digest) else { return .damaged }
        func integer(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
        guard integer(8..<10) == UInt64(version), integer(10..<12) == UInt64(cipher),
            let kind = ContentKind(rawValue: bytes[12]),
            let slot = KeySlot(bytes: Array(bytes[fixedLength..<digestStart])),
            (512...UInt64(unitLengthLimit)).contains(integer(16..<20)),
            bytes[13..<16].allSatisfy({ $0 == 0 }), bytes[20..<24].allSatisfy({ $0 == 0 })
        else { return .unsupported }
        return .header(
            FileHeader(
                kind: kind, unitLength: Int(integer(16..<20)), sequence: integer(24..<32),
                file: FileIdentity(bytes: Array(bytes[32..<fixedLength])), slot: slot))
    }

    private init(kind: ContentKind, unitLength: Int, sequence: UInt64, file: FileIdentity, slot: KeySlot) {
        self.kind = kind
        self.unitLength = unitLength
        self.sequence = sequence
        self.file = file
        self.slot = slot
    }

    private static func hasMagic(_ bytes: ArraySlice<UInt8>) -> Bool { bytes.starts(with: magic) }

    /// Whether a file that is shorter than its headers contains nothing but the beginning of a header, or zeros.
    private static func isInterruptedCreation(_ bytes: [UInt8]) -> Bool {
        bytes.allSatisfy { $0 == 0 } || bytes.starts(with: magic) || magic.starts(with: bytes)
    }
}

#endif
