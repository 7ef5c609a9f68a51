// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The encoding of contents into the frames of a file.
///
/// All files of a store, of values, of keys and of the version, use it; no other code knows the format of their bytes.
/// A frame has a number and knows whether it is the last, so that a cipher can authenticate both and detect a file that
/// was truncated or reassembled. At present a frame consists of the contents themselves.
struct FileFraming: Sendable {
    /// The number of content bytes in every frame but the last, which is not longer.
    let contentLength = 65_536
    /// The number of bytes by which a frame is longer than its contents.
    let overhead = 0

    /// Returns the bytes in the file for a frame of contents.
    func seal(_ contents: [UInt8], frame: Int, isLast: Bool) throws -> [UInt8] { contents }

    /// Returns the contents of a frame of the file.
    func unseal(_ bytes: [UInt8], frame: Int, isLast: Bool) throws -> [UInt8] { bytes }
}
