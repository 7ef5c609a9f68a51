// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSQLite
public import SoupCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The stores in a folder, by scope, and by name within a scope.
///
/// Stores of the user scope and the global scope are independent, even if they have the same name. Each user has stores
/// of the user scope in `users/<name>`, and all users share those of the global scope. Without a user, the stores of
/// both scopes are in the folder itself. Only stores of the backend `sqlite` are files, and only they are found here.
///
/// ```swift
/// let stores = StoreFolder(at: URL(filePath: "App/Data"))
/// let archive = try stores.file(of: "archive", in: .user)
/// let kit = try await SoupClient.open(at: URL(filePath: "Config"), options: .init(store: archive))
/// ```
public struct StoreFolder: Sendable {
    /// The file URL of the folder.
    public let folder: URL
    /// The owner of the stores of the user scope; nil for the stores in the folder itself.
    public let user: StoreUser?

    /// The name of a scope's store if the app names none.
    public static let defaultName = "defaultStore"

    /// Creates a value without access to the file system; a folder that does not exist has no stores.
    public init(at folder: URL, of user: StoreUser? = nil) {
        self.folder = folder
        self.user = user
    }

    /// The folder with the folders of all users.
    var usersFolder: URL { folder.appending(component: "users", directoryHint: .isDirectory) }

    /// Returns the folder with the stores of a scope.
    func root(of scope: StoreScope) -> URL {
        guard scope == .user, let user else { return folder }
        return usersFolder.appending(component: user.folderName, directoryHint: .isDirectory)
    }

    /// Returns the users that have a folder here, in ascending order.
    ///
    /// - Throws: the file system's error for a folder that cannot be read.
    public func users() throws -> [StoreUser] {
        let path = usersFolder.filePath
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: path).filter { name in
            var isFolder = false
            return FileManager.default.fileExists(atPath: "\(path)/\(name)", isDirectory: &isFolder) && isFolder
        }.compactMap(StoreUser.init(folderName:)).sorted()
    }

    /// Returns the users whose removal was interrupted, in ascending order; none if the folder cannot be read.
    func usersBeingRemoved() -> [StoreUser] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: usersFolder.filePath)) ?? []
        let prefix = UserPlaces.markerPrefix
        return names.filter { $0.hasPrefix(prefix) }
            .compactMap { StoreUser(folderName: String($0.dropFirst(prefix.count))) }.sorted()
    }

    /// Returns the file of a store, whether it exists or not.
    ///
    /// - Throws: ``SoupError`` with `badStoreName` for a name that is not 1 to 96 of `a-z`, `A-Z`, `0-9`, `_` and `-`.
    public func file(of name: String = Self.defaultName, in scope: StoreScope) throws -> URL {
        guard Self.isValid(name) else {
            throw SoupError(
                .badStoreName, "\"\(name)\" is not a valid name of a store",
                hint: "Use 1 to 96 letters (a-z, A-Z), digits, _ and -.")
        }
        let file = name == Self.defaultName ? scope.databaseFile : "\(scope.rawValue)store-\(name).db"
        return root(of: scope).appending(component: file, directoryHint: .notDirectory)
    }

    /// Returns the folder for other files of a scope, whether it exists or not: `user` or `global`.
    ///
    /// ```swift
    /// let caches = KeyValueStores(in: stores.folder(of: .user))  // of the module SoupKeyValue
    /// ```
    public func folder(of scope: StoreScope) -> URL {
        root(of: scope).appending(component: scope.rawValue, directoryHint: .isDirectory)
    }

    /// Returns the names of the existing stores, sorted.
    ///
    /// - Throws: the file system's error for a folder that cannot be read.
    public func names(in scope: StoreScope) throws -> [String] {
        let path = root(of: scope).filePath
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        let prefix = "\(scope.rawValue)store-"
        return try FileManager.default.contentsOfDirectory(atPath: path).compactMap { file in
            if file == scope.databaseFile { return Self.defaultName }
            guard file.hasPrefix(prefix), file.hasSuffix(".db") else { return nil }
            let name = String(file.dropFirst(prefix.count).dropLast(3))
            return Self.isValid(name) && name != Self.defaultName ? name : nil
        }.sorted()
    }

    /// Returns whether a store exists.
    ///
    /// - Throws: ``SoupError`` with `badStoreName`.
    public func has(_ name: String = Self.defaultName, in scope: StoreScope) throws -> Bool {
        FileManager.default.fileExists(atPath: try file(of: name, in: scope).filePath)
    }

    /// Removes a store and its content, also that of the additional stores of a composed store; close it first.
    ///
    /// A store with a path of its own in the configuration is not removed. The file is removed before its log, so that
    /// an interrupted removal leaves no half of a store. Opening the name again creates an empty store. The file of the
    /// store's lock, `-syncs`, is kept, with the ID of the process that synced last. The secret of an encrypted store
    /// is kept as well; ``SoupClient/removeStore(_:at:options:)`` removes it.
    ///
    /// - Returns: whether the store existed.
    /// - Throws: ``SoupError``: `badStoreName`; `storeUnusable` if this or another process is syncing the store, in
    ///   which case nothing is removed, or if a file cannot be removed.
    @discardableResult
    public func remove(_ name: String = Self.defaultName, in scope: StoreScope) throws -> Bool {
        try SQLiteStore.remove(at: try file(of: name, in: scope))
    }

    /// Removes all stores of a scope, one after the other; close them first.
    ///
    /// - Returns: the names of the stores that existed.
    /// - Throws: as ``remove(_:in:)``; the stores before the one that failed are already removed.
    @discardableResult
    public func removeAll(in scope: StoreScope) throws -> [String] {
        let names = try names(in: scope)
        for name in names { try remove(name, in: scope) }
        return names
    }

    private static func isValid(_ name: String) -> Bool {
        (1...96).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}

extension SoupError.Code {
    /// The folder has no store of that name.
    public static let storeNotFound: Self = "storeNotFound"
}
