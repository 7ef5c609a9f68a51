// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The encoding of contents into the frames of a file.
///
/// All files of a store, of values, of keys and of the version, use it; no other code knows the format of their bytes.
/// A frame has a number and knows whether it is the last, so that a cipher can authenticate both and detect a file that
/// was truncated or reassembled.
protocol FileFraming: Sendable {
    /// The number of bytes by which a frame is longer than its contents.
    var overhead: Int { get }

    /// Returns the bytes in the file for a frame of contents.
    func seal(_ contents: [UInt8], frame: Int, isLast: Bool) throws -> [UInt8]

    /// Returns the contents of a frame of the file.
    func unseal(_ bytes: [UInt8], frame: Int, isLast: Bool) throws -> [UInt8]
}

extension FileFraming {
    /// The number of content bytes in every frame but the last, which is not longer.
    var contentLength: Int { 65_536 }
}

/// The framing of files that are not encrypted: a frame consists of the contents themselves.
struct PlainFraming: FileFraming {
    let overhead = 0

    func seal(_ contents: [UInt8], frame: Int, isLast: Bool) throws -> [UInt8] { contents }

    func unseal(_ bytes: [UInt8], frame: Int, isLast: Bool) throws -> [UInt8] { bytes }
}

/// The encoding of a folder: the framing of its files, and their names.
protocol FolderEncoding: Sendable {
    /// Returns the framing of the file with a name.
    func framing(of name: String) -> any FileFraming
    /// Returns the prefix of the names of a key's files.
    func hash(of key: String) -> KeyHash
}

/// The encoding of a folder that is not encrypted.
struct PlainFolder: FolderEncoding {
    func framing(of name: String) -> any FileFraming { PlainFraming() }

    func hash(of key: String) -> KeyHash { KeyHash(key) }
}
