// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDBSQLite

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The bytes of a database file, read through SQLite.
///
/// If this process opened and closed the file itself, the system would release all locks that the process holds on it,
/// including those of an open store.
struct DatabaseFileBytes: ~Copyable {
    private let connection: OpaquePointer?
    private let file: UnsafeMutablePointer<sqlite3_file>

    /// Opens the file; nil if it does not exist, cannot be read, or is not a regular file, for which a read could wait.
    ///
    /// - Parameter path: the path, or a URI that names the file system of an encrypted store.
    init?(path: String) {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path.withoutLinks)
        if let type = attributes?[.type] as? FileAttributeType, type != .typeRegular { return nil }
        var connection: OpaquePointer?
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard sqlite3_open_v2(path, &connection, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nil) == SQLITE_OK,
            sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK, let file,
            file.pointee.pMethods != nil
        else {
            sqlite3_close(connection)
            return nil
        }
        self.connection = connection
        self.file = file
    }

    deinit { sqlite3_close(connection) }

    /// The size of the file in bytes; nil if it cannot be determined.
    var size: Int64? {
        var size: sqlite3_int64 = 0
        guard let read = file.pointee.pMethods?.pointee.xFileSize, read(file, &size) == SQLITE_OK else { return nil }
        return size
    }

    /// Returns bytes of the file, padded with zeros behind its end; nil if they cannot be read.
    func bytes(_ count: Int, at offset: Int64) -> [UInt8]? {
        guard let read = file.pointee.pMethods?.pointee.xRead, let amount = Int32(exactly: count) else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        let code = read(file, &bytes, amount, offset)
        // SQLITE_IOERR_SHORT_READ is a macro that Swift does not import; the rest is zeros.
        return code == SQLITE_OK || code == SQLITE_IOERR | 2 << 8 ? bytes : nil
    }
}
