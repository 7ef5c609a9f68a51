// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore
internal import SoupSQLite

extension StoreConfig.Backend {
    /// SQLite, in a file in the configuration's folder: the backend if a store configuration names none.
    public static let standard = StoreConfig.Backend(type: SQLiteStore.name)
}
