// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Android)
    internal import Android
#endif

/// The key-value stores of a folder, each in `key_value_stores/<name>`.
///
/// A name is 1 to 96 characters of `a-z`, `A-Z`, `0-9` and `_`; anything else is refused, so that no name leads out of
/// the folder.
public struct KeyValueStores: Sendable {
    /// The folder that holds the folders of the stores.
    public let path: String
    private let changes: FileChanges
    private let work = FileWork()

    /// What a folder begins with that is no store any more.
    private static let removedPrefix = ".removed-"

    /// Touches nothing.
    ///
    /// - Parameter folder: absolute, or from the current folder of the process on; made when the first store is.
    public init(in folder: String) { self.init(in: folder, changes: FileChanges()) }

    init(in folder: String, changes: FileChanges) {
        let isBelow = folder.hasSuffix("/") || folder.isEmpty
        path = folder + (isBelow ? "" : "/") + "key_value_stores"
        self.changes = changes
    }

    /// Opens a store, makes it when it is not there, and clears away what a kill left behind.
    ///
    /// A folder with value files only is a store of version 1; a new one has version 2.
    ///
    /// - Throws: ``SoupError``: `badStoreName`; `storeUnusable` for a file in the place of the folder, a version that
    ///   this program does not know, and a folder of somebody else, and nothing is touched then.
    public func open(_ name: String) async throws -> FileKeyValueStore {
        try Self.check(name)
        return try await work.change { [path, changes] in
            let folder = KeyValueFolder(path: "\(path)/\(name)", changes: changes)
            let entries = try folder.prepare()
            try checkCase(of: name)
            sweep()
            return FileKeyValueStore(name, entries, FileWork())
        }
    }

    /// The names of the stores, sorted; none when the folder is not there.
    ///
    /// - Throws: ``SoupError`` with `storeUnusable` when the folder cannot be read.
    public func names() async throws -> [String] { try await work.read { try listed() } }

    /// Removes a store with all its values, at one stroke.
    ///
    /// Whoever has it open gets `storeUnusable` from then on, also when a store of that name is made again.
    ///
    /// - Returns: whether there was one.
    /// - Throws: ``SoupError``: `badStoreName`; `storeUnusable` when it cannot be removed.
    @discardableResult
    public func remove(_ name: String) async throws -> Bool {
        try Self.check(name)
        return try await work.change { try removeNow(name) }
    }

    /// Removes every store of the folder, one after the other.
    ///
    /// - Throws: as ``remove(_:)``.
    public func removeAll() async throws {
        try await work.change { for name in try listed() { _ = try removeNow(name) } }
    }

    private func listed() throws -> [String] {
        guard folderExists(path) else { return [] }
        return try KeyValueFolder(path: path, changes: changes).names()
            .filter { Self.isValid($0) && folderExists("\(path)/\($0)") }.sorted()
    }

    private func removeNow(_ name: String) throws -> Bool {
        guard try listed().contains(name) else { return false }
        let folder = KeyValueFolder(path: "\(path)/\(name)", changes: changes)
        try folder.locked(.exclusive) { _ in
            let random = String(UInt64.random(in: .min ... .max), radix: 16)
            try changes.rename(folder.path, to: "\(path)/\(Self.removedPrefix)\(random)")
        }
        try changes.syncFolder(path)
        sweep()
        return true
    }

    /// Deletes what removed stores left; what does not go now goes the next time.
    private func sweep() {
        let names = (try? KeyValueFolder(path: path, changes: changes).allNames()) ?? []
        for name in names where name.hasPrefix(Self.removedPrefix) {
            guard (try? changes.willMake(.remove, path)) != nil else { return }
            try? FileManager.default.removeItem(atPath: "\(path)/\(name)")
        }
    }

    /// Where the file system takes `Cache` and `cache` for one name, only one of them is a store.
    private func checkCase(of name: String) throws {
        let names = try KeyValueFolder(path: path, changes: changes).names()
        guard !names.contains(name) else { return }
        throw SoupError(
            .badStoreName, "the key-value store \"\(name)\" has another's name but for upper and lower case",
            place: Place(file: path), hint: "Give another name")
    }

    private static func isValid(_ name: String) -> Bool {
        (1...96).contains(name.utf8.count)
            && name.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    private static func check(_ name: String) throws {
        guard !isValid(name) else { return }
        throw SoupError(
            .badStoreName, "\(JSONEscapes.quoted(String(name.prefix(100)))) cannot be the name of a key-value store",
            hint: "Names are 1 to 96 characters of a-z, A-Z, 0-9 and _")
    }
}
