// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Encryption

/// The stored bytes of a file, as the system or SQLite provides them.
package protocol RawFile {
    /// Reads bytes at an offset; returns their number, which is less than that of the buffer at the end of the file.
    func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int
    /// Writes all bytes at an offset.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws
    /// Returns the number of bytes.
    func size() throws -> Int64
    /// Removes the bytes after a length.
    func truncate(to size: Int64) throws
    /// Returns when all writes are permanent.
    func sync() throws
}

#endif
