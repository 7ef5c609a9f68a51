// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupStore
public import SoupSync
internal import SoupCore

/// The name of a store of a bridge, in its scope.
public struct BridgeStoreName: Sendable, Hashable {
    /// Whether the store belongs to the global scope, which all users share.
    public var isGlobal: Bool
    /// The name, unique in its scope.
    public var name: String

    /// The name of the store that calls use if they name none.
    public static let standard = "defaultStore"

    /// Creates a name.
    public init(_ name: String = Self.standard, isGlobal: Bool = false) {
        self.isGlobal = isGlobal
        self.name = name
    }

    /// The keys of a store in answers and events.
    var members: [(name: String, value: JSONText)] {
        [("isGlobalStore", isGlobal ? .true : .false), ("storeName", .string(name))]
    }
}

/// A store that JavaScript can use, with its syncs.
public struct BridgeStore: Sendable {
    /// The soups.
    public var store: SmartStore
    /// The manager of the syncs over the store; nil if JavaScript cannot use syncs.
    public var syncs: SyncManager?

    /// Creates a value from an open store; the caller closes both.
    public init(store: SmartStore, syncs: SyncManager?) {
        self.store = store
        self.syncs = syncs
    }
}

/// A type that opens the stores that JavaScript names.
///
/// ``StoreFolderStores`` opens files in a folder; ``OpenStores`` contains stores that the app has opened.
public protocol BridgeStores: Sendable {
    /// Returns an open store; a store that does not exist is created.
    ///
    /// - Throws: ``SoupError`` with `badStoreName`, or with `storeNotFound` if the type cannot create it.
    func open(_ name: BridgeStoreName) async throws -> BridgeStore
    /// Returns the names of the existing stores of a scope, sorted.
    func names(isGlobal: Bool) async throws -> [String]
    /// Removes a store with its content; a store that does not exist is ignored.
    ///
    /// Its syncs are stopped first.
    func remove(_ name: BridgeStoreName) async throws
}

/// Stores that the app has opened and closes itself; JavaScript can neither create nor remove one.
public struct OpenStores: BridgeStores {
    private let stores: [BridgeStoreName: BridgeStore]

    /// Creates a value from open stores.
    public init(_ stores: [BridgeStoreName: BridgeStore]) { self.stores = stores }

    /// Returns the store with that name.
    ///
    /// - Throws: ``SoupError`` with `storeNotFound`.
    public func open(_ name: BridgeStoreName) async throws -> BridgeStore {
        guard let store = stores[name] else {
            throw SoupError(
                "storeNotFound", "there is no \(name.isGlobal ? "global" : "user") store \"\(name.name)\"",
                hint: "The app opens its stores itself. Use one of these: \(try await list(isGlobal: name.isGlobal)).")
        }
        return store
    }

    /// Returns the names of the stores of a scope, sorted.
    public func names(isGlobal: Bool) async throws -> [String] {
        stores.keys.filter { $0.isGlobal == isGlobal }.map(\.name).sorted()
    }

    /// Refuses to remove an existing store.
    ///
    /// - Throws: ``SoupError`` with `notSupported`.
    public func remove(_ name: BridgeStoreName) async throws {
        guard stores[name] != nil else { return }
        throw SoupError(
            .notSupported, "the app opened the store \"\(name.name)\" itself, and JavaScript cannot remove it",
            hint: "Clear or remove its soups.")
    }

    private func list(isGlobal: Bool) async throws -> String {
        let names = try await names(isGlobal: isGlobal)
        return names.isEmpty ? "none" : names.joined(separator: ", ")
    }
}

extension BridgeStores {
    /// Returns the syncs of the store that a call names.
    ///
    /// - Throws: ``SoupError`` with `notSupported` if the store is open without its syncs.
    func syncs(of request: BridgeRequest) async throws -> SyncManager {
        let name = try request.store
        guard let syncs = try await open(name).syncs else {
            throw SoupError(
                .notSupported, "the store \"\(name.name)\" is open without its syncs",
                hint: "The app passes a sync manager with the store.")
        }
        return syncs
    }
}
