// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Encryption

package import SoupCore

/// Creates, reads and changes the header of an encrypted file.
package enum EncryptedFile {
    /// Reads the header.
    package static func reading(of raw: some RawFile) throws -> FileHeader.Reading {
        FileHeader.read(try headerBytes(of: raw))
    }

    /// Reads the bytes of both copies, or of the whole file if it is shorter.
    package static func headerBytes(of raw: some RawFile) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: FileHeader.length)
        let count = try bytes.withUnsafeMutableBytes { try raw.read($0, at: 0) }
        return Array(bytes.prefix(count))
    }

    /// Writes the header of a new file with a random key; returns when it is permanent.
    ///
    /// The caller makes sure that the file is empty, and that no other process creates it at the same time.
    package static func create(
        _ raw: some RawFile, _ kind: ContentKind, unitLength: Int, secret: StoreSecret
    ) throws -> DataKey {
        let key = DataKey()
        let header = try FileHeader(kind, unitLength: unitLength, key: key, secret: secret)
        try raw.truncate(to: 0)
        try header.bothCopies.withUnsafeBytes { try raw.write($0, at: 0) }
        try raw.sync()
        return key
    }

    /// Protects the file's key with another secret; the content is not written.
    ///
    /// One copy of the header is replaced after the other. If the second write is interrupted, the new secret opens the
    /// file, and ``completeHeader(of:_:)`` removes the old secret's copy.
    package static func replaceSecret(
        of raw: some RawFile, _ header: FileHeader, key: DataKey, with secret: StoreSecret
    ) throws {
        try writeBoth(try header.replacing(key, with: secret), to: raw)
    }

    /// Replaces a damaged or older copy of the header by the current one.
    package static func completeHeader(of raw: some RawFile, _ header: FileHeader) throws {
        try writeBoth(header, to: raw)
    }

    /// Writes the copy that is not the current one first, so that one of them is complete at any moment.
    private static func writeBoth(_ header: FileHeader, to raw: some RawFile) throws {
        for offset in try orderOfCopies(raw) {
            try header.bytes.withUnsafeBytes { try raw.write($0, at: Int64(offset)) }
            try raw.sync()
        }
    }

    private static func orderOfCopies(_ raw: some RawFile) throws -> [Int] {
        var first = [UInt8](repeating: 0, count: FileHeader.copyLength)
        let count = try first.withUnsafeMutableBytes { try raw.read($0, at: 0) }
        guard case .header(let header, _) = FileHeader.read(Array(first.prefix(count))),
            case .header(let current, _) = try reading(of: raw), header == current
        else { return [0, FileHeader.copyLength] }
        return [FileHeader.copyLength, 0]
    }
}

#endif
