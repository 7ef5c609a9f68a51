// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import GRDBSQLite
internal import SoupCore

/// The file of a store, and the file system that decrypts it.
struct StoreLocation: Sendable {
    /// The path as configured.
    var path: String
    #if Encryption
        /// Nil if the file is not encrypted.
        var fileSystem: EncryptedFileSystem?
    #endif

    /// Creates the location of a file that is not encrypted.
    init(_ path: String) { self.path = path }

    var isEncrypted: Bool {
        #if Encryption
            fileSystem != nil
        #else
            false
        #endif
    }

    /// The length of the pages of a new database; in an encrypted file, a unit is a page.
    var pageSize: Int {
        #if Encryption
            fileSystem?.unitLength ?? Self.plainPageSize
        #else
            Self.plainPageSize
        #endif
    }

    private static let plainPageSize = 8192

    /// The name under which SQLite opens the file.
    var name: String { isEncrypted ? uri([]) : path }

    /// The name under which a connection to an encrypted store opens another file.
    ///
    /// It names the file system, because the standard one of the connection is that of its store.
    var attachedName: String {
        let standard = sqlite3_vfs_find(nil).map { String(cString: $0.pointee.zName) }
        return uri(isEncrypted ? [] : standard.map { ["vfs=\($0)"] } ?? [])
    }

    /// The name under which SQLite reads the file without locks and without a log.
    var immutableName: String { uri(["immutable=1"]) }

    /// Adds what a connection needs: the file system must not be released before the connection.
    func prepare(_ configuration: inout Configuration) {
        #if Encryption
            guard let fileSystem else { return }
            configuration.prepareDatabase { _ in withExtendedLifetime(fileSystem) {} }
        #endif
    }

    /// Removes the key from memory, when no connection is open any more.
    func close() {
        #if Encryption
            fileSystem?.close()
        #endif
    }

    private func uri(_ parameters: [String]) -> String {
        var parameters = parameters
        #if Encryption
            if let fileSystem { parameters.append("vfs=\(fileSystem.name)") }
        #endif
        let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/".utf8)
        let digits = Array("0123456789ABCDEF".utf8)
        let name = path.withoutLinks.utf8.flatMap { byte in
            allowed.contains(byte) ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        let query = parameters.isEmpty ? "" : "?" + parameters.joined(separator: "&")
        return "file:\(String(decoding: name, as: UTF8.self))\(query)"
    }
}
