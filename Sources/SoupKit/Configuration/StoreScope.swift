// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The owner of a store: an app has one store for its user, and one that all users share.
public enum StoreScope: String, Sendable, Hashable, CaseIterable {
    case user
    case global

    /// The file that names the soups.
    public var storeFile: String { "\(rawValue)store.json" }
    /// The file that names the syncs.
    public var syncsFile: String { "\(rawValue)syncs.json" }
    /// The store's file in the configuration's folder, unless the app or the configuration names another one.
    public var databaseFile: String { "\(rawValue)store.db" }
}
