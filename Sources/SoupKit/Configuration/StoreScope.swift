// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// Whose store a configuration is for: an app has one for its user and one that outlives users.
public enum StoreScope: String, Sendable, Hashable, CaseIterable {
    case user
    case global

    /// The file that names the soups.
    public var storeFile: String { "\(rawValue)store.json" }
    /// The file that names the syncs.
    public var syncsFile: String { "\(rawValue)syncs.json" }
    /// The file that keeps the soups, in the configuration's folder, when nobody says otherwise.
    public var databaseFile: String { "\(rawValue)store.db" }
}
