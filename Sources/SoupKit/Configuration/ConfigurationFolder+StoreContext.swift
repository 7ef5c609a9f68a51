// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension ConfigurationFolder {
    /// Returns the context in which the store that options choose is opened.
    ///
    /// - Throws: ``ConfigurationError`` if the options name a user, and the configuration a file outside the folder of
    ///   the user: all users would have this file.
    func storeContext(_ options: SoupClient.Options) throws -> StoreContext {
        let scope = options.scope
        let hasOwnFolder = options.storeFolder != nil || (scope == .user && options.user != nil)
        let folder = hasOwnFolder ? stores(options).root(of: scope).absoluteURL : URL(filePath: path)
        var context = StoreContext(folder: folder, clock: options.clock, fileName: scope.databaseFile)
        if let store = options.store {
            let path = store.filePath
            context.file = URL(
                filePath: path.hasPrefix("/") ? path : Self.currentFolder + "/" + path, directoryHint: .notDirectory)
        } else if let user = options.user, scope == .user {
            try requirePathsInside(of: user)
        }
        return context
    }

    /// Opens the store that options choose, with the backend of the configuration but without its soups.
    ///
    /// - Throws: ``ConfigurationError`` with the problems of the store's file; ``SoupError`` of the store.
    package func openEmptyStore(_ options: SoupClient.Options) async throws -> any StoreBackend {
        try check(self[options.scope].storeProblems, in: options.scope, allowingNone: true)
        return try await openBackend(options)
    }

    /// Returns the permissions of new folders: the files of users are private, whatever those of the process are.
    private func permissions(_ options: SoupClient.Options) -> Int? {
        options.scope == .user && options.user != nil ? 0o700 : nil
    }

    /// Creates the folders of the store that options choose, if the options and not the configuration choose them.
    ///
    /// - Throws: ``SoupError`` with `storeUnusable`.
    func makeStoreFolders(_ options: SoupClient.Options, in context: StoreContext) throws {
        let permissions = permissions(options)
        if let file = options.store {
            if storeFile(options) != nil { try makeFolders(for: file.filePath, permissions: permissions) }
            return
        }
        guard permissions != nil || options.storeFolder != nil else { return }
        for store in configuredStores(options.scope) where !store.isInner || store.path != nil {
            try makeFolders(for: context.path(configured: store.path), permissions: permissions)
        }
    }

    private func requirePathsInside(of user: StoreUser) throws {
        let outside = configuredStores(.user).filter { $0.path.map(Self.leadsOutside) ?? false }
        let problems = outside.map { store in
            ConfigurationProblem(
                at: SoupError.Place(
                    file: StoreScope.user.storeFile, path: (["backend"] + store.place).joined(separator: ".")),
                "the path \"\(store.path ?? "")\" is outside the folder of the \(user): all users would share the store",
                hint: "Use a path inside the folder, or remove it: each user then has a file of their own.")
        }
        guard problems.isEmpty else { throw ConfigurationError(problems) }
    }

    /// Whether a path is absolute, or leads out of the folder to which it is relative.
    private static func leadsOutside(_ path: String) -> Bool {
        guard !path.hasPrefix("/") else { return true }
        var depth = 0
        for part in path.split(separator: "/") where part != "." {
            depth += part == ".." ? -1 : 1
            if depth < 0 { return true }
        }
        return false
    }

    private static var currentFolder: String { FileManager.default.currentDirectoryPath }
}

/// A store inside a `backend` of a configuration.
struct ConfiguredStore {
    /// The type; nil if it is missing.
    var type: PluginName?
    /// The configured path; nil for the standard one.
    var path: String?
    /// The configured key of the encryption.
    var key: KeyReference?
    /// The members that lead to the store, from the `backend`.
    var place: [String]
    /// Whether another store contains it.
    var isInner: Bool { !place.isEmpty }
}

extension JSONValue {
    /// The store that a `backend` describes, and all stores inside it.
    var stores: [ConfiguredStore] { stores(at: []) }

    private func stores(at place: [String]) -> [ConfiguredStore] {
        let members = objectValue?.members ?? []
        var found: [ConfiguredStore] = []
        if members.contains(where: { $0.key == "type" }) {
            found.append(
                ConfiguredStore(
                    type: self["type"]?.stringValue.map { PluginName($0) }, path: self["path"]?.stringValue,
                    key: self["encryption"]?["key"].map { KeyReference($0) }, place: place))
        }
        for member in members where member.key != "encryption" {
            found += member.value.stores(at: place + [member.key])
        }
        return found
    }
}
