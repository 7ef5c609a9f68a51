// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The first bytes of encrypted files, by which programs without the module `SoupEncryption` recognize them, too.
///
/// They contain line ends of different systems, so that a transfer as a text file damages them.
package enum EncryptedFileMark {
    /// The 8 bytes at the beginning of the file.
    package static let bytes: [UInt8] = [0x89, 0x53, 0x4F, 0x55, 0x50, 0x0D, 0x0A, 0x1A]
}
