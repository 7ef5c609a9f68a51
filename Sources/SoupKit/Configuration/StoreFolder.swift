// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SQLiteStore
public import SoupCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The stores that lie side by side in a folder: by scope, and in a scope by name.
///
/// A user's stores and those of everybody have nothing to do with one another, whatever their names. Stores of several
/// users belong in several folders. Only stores of the backend `sqlite` are files, and only they are found here.
///
/// ```swift
/// let stores = StoreFolder("App/Data")
/// let kit = try await SoupKit.open(configuration: "Config", store: stores.file(of: "archive", in: .user))
/// ```
public struct StoreFolder: Sendable {
    /// The folder, absolute or from the current one on.
    public let path: String

    /// The name of the store that a scope has when nobody names one.
    public static let defaultName = "defaultStore"

    /// Looks at nothing yet; a folder that is not there has no stores.
    public init(_ path: String) { self.path = path }

    /// The file of a store, there or not.
    ///
    /// - Throws: ``SoupError`` with `badStoreName` for a name that is not 1 to 96 of `a-z`, `A-Z`, `0-9`, `_` and `-`.
    public func file(of name: String = Self.defaultName, in scope: StoreScope) throws -> String {
        guard Self.isValid(name) else {
            throw SoupError(
                .badStoreName, "\"\(name)\" cannot be the name of a store",
                hint: "A name has 1 to 96 letters, digits, _ and -")
        }
        let file = name == Self.defaultName ? scope.databaseFile : "\(scope.rawValue)store-\(name).db"
        return path.isEmpty || path.hasSuffix("/") ? path + file : "\(path)/\(file)"
    }

    /// The names of the stores that are there, sorted.
    ///
    /// - Throws: the file system's error for a folder that cannot be read.
    public func names(in scope: StoreScope) throws -> [String] {
        let place = path.isEmpty ? "." : path
        guard FileManager.default.fileExists(atPath: place) else { return [] }
        let prefix = "\(scope.rawValue)store-"
        return try FileManager.default.contentsOfDirectory(atPath: place).compactMap { file in
            if file == scope.databaseFile { return Self.defaultName }
            guard file.hasPrefix(prefix), file.hasSuffix(".db") else { return nil }
            let name = String(file.dropFirst(prefix.count).dropLast(3))
            return Self.isValid(name) && name != Self.defaultName ? name : nil
        }.sorted()
    }

    /// Whether a store is there.
    ///
    /// - Throws: ``SoupError`` with `badStoreName`.
    public func has(_ name: String = Self.defaultName, in scope: StoreScope) throws -> Bool {
        FileManager.default.fileExists(atPath: try file(of: name, in: scope))
    }

    /// Removes a store and everything in it; close it first.
    ///
    /// The file goes before its log, so that a store that is cut off in the middle is gone and not half there. Opening
    /// the name again makes an empty store. The file of the store's lock, `-syncs`, stays where it is, with the
    /// number of the process that synced last.
    ///
    /// - Returns: whether there was one.
    /// - Throws: ``SoupError``: `badStoreName`; `storeUnusable` for a store that somebody syncs, here or in another
    ///   process, and nothing is removed then, or for a file that cannot be removed.
    @discardableResult
    public func remove(_ name: String = Self.defaultName, in scope: StoreScope) throws -> Bool {
        try SQLiteStore.remove(at: try file(of: name, in: scope))
    }

    /// Removes all stores of a scope, one after the other; close them first.
    ///
    /// - Returns: the names of those that were there.
    /// - Throws: as ``remove(_:in:)``; the stores that it had come to are gone then.
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
