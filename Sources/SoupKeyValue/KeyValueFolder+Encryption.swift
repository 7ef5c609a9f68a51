// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

#if Encryption
    internal import SoupEncryption
#endif
#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension KeyValueFolder {
    /// Returns the encoding of an existing folder.
    func encoding(of layout: KeyValueLayout, _ secret: StoreSecret?) throws -> any FolderEncoding {
        switch (layout, secret) {
        case (.encrypted, let secret?): return try openEncoding(secret)
        case (.encrypted, nil):
            throw SoupError(
                .storeEncrypted, "the key-value store is encrypted, and no key provider was given",
                place: SoupError.Place(file: path), hint: "Create KeyValueStores with its key provider.")
        case (_, _?):
            throw SoupError(
                .storeNotEncrypted, "the key-value store is not encrypted", place: SoupError.Place(file: path),
                hint: "Open it without a key provider, and save its values in a new store with one.")
        case (_, nil): return PlainFolder()
        }
    }

    #if Encryption
        /// The length of the contents of a frame, which the header contains.
        private static let frameLength = 65_536

        private func openEncoding(_ secret: StoreSecret) throws -> any FolderEncoding {
            guard let key = try header().key(with: secret) else {
                throw wrongKey
            }
            return EncryptedFolder(key: key)
        }

        /// Writes the header of a new folder.
        func makeEncoding(_ secret: StoreSecret, syncing folder: Int32) throws -> any FolderEncoding {
            let key = DataKey()
            let header = try FileHeader(.value, unitLength: Self.frameLength, key: key, secret: secret)
            try write(header.bothCopies, to: Self.headerFile, syncing: folder)
            return EncryptedFolder(key: key)
        }

        /// Protects the key with another secret.
        func replaceSecret(_ old: StoreSecret, with new: StoreSecret) throws {
            try locked(.exclusive) { descriptor in
                let header = try header()
                guard let key = try header.key(with: old) else {
                    throw wrongKey
                }
                try write(try header.replacing(key, with: new).bothCopies, to: Self.headerFile, syncing: descriptor)
            }
        }

        private var wrongKey: SoupError {
            SoupError(
                .wrongKey, "the key is not that of the key-value store; the store is not damaged",
                place: SoupError.Place(file: path), hint: "Use the key with which it was created.")
        }

        private func header() throws -> FileHeader {
            let reading = try contents(of: Self.headerFile).map { FileHeader.read(Array($0)) }
            if case .unsupported? = reading {
                throw SoupError(
                    .storeUnusable, "the key-value store is encrypted in a newer format than this version supports",
                    place: SoupError.Place(file: file(Self.headerFile)), hint: "Update the program.")
            }
            guard case .header(let header, _)? = reading, header.kind == .value else {
                throw SoupError(
                    .storeUnusable, "the header of the encrypted key-value store is missing or damaged",
                    place: SoupError.Place(file: file(Self.headerFile)),
                    hint: "Restore it from a backup, or remove the store.")
            }
            return header
        }
    #else
        private func openEncoding(_ secret: StoreSecret) throws -> any FolderEncoding { throw Self.notSupported }

        func makeEncoding(_ secret: StoreSecret, syncing folder: Int32) throws -> any FolderEncoding {
            throw Self.notSupported
        }

        private static var notSupported: SoupError {
            SoupError(
                .notSupported, "this program was built without encryption of stores",
                hint: "Enable the trait Encryption of the package SoupKit, and build the program again.")
        }
    #endif
}

#if Encryption
    /// The encoding of an encrypted folder.
    private struct EncryptedFolder: FolderEncoding {
        let key: DataKey

        func framing(of name: String) -> any FileFraming {
            EncryptedFraming(cipher: UnitCipher(key.key(ofFile: name), .value))
        }

        func hash(of key: String) -> KeyHash { KeyHash(bytes: self.key.hash(of: key)) }
    }

    /// The framing of one encrypted file: each frame is a unit, whose index also contains whether it is the last.
    private struct EncryptedFraming: FileFraming {
        let cipher: UnitCipher
        var overhead: Int { UnitCipher.overhead }

        func seal(_ contents: [UInt8], frame: Int, isLast: Bool) throws -> [UInt8] {
            try cipher.seal(contents, at: Self.index(frame, isLast))
        }

        func unseal(_ bytes: [UInt8], frame: Int, isLast: Bool) throws -> [UInt8] {
            try cipher.open(bytes, at: Self.index(frame, isLast))
        }

        private static func index(_ frame: Int, _ isLast: Bool) -> UInt64 { UInt64(2 * frame + (isLast ? 1 : 0)) }
    }
#endif
