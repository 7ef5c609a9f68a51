// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The sizes of a store.
public struct StoreStatistics: Sendable, Hashable {
    /// The size of the database in bytes, including committed data that is not yet in its file; 0 for a store in
    /// memory.
    public var databaseSize: Int64
    /// The unused bytes in it, which ``StoreBackend/compact()`` returns to the system.
    public var freeSize: Int64
    /// The size in bytes of the log next to the file, which a checkpoint empties.
    public var logSize: Int64
    /// The soups, sorted by name.
    public var soups: [Soup]

    /// The sizes of a soup.
    public struct Soup: Sendable, Hashable {
        /// Its name.
        public var name: SoupName
        /// The number of entries.
        public var entries: Int
        /// The number of entries with local changes.
        public var dirty: Int

        /// Creates the sizes of a soup; for backends.
        public init(name: SoupName, entries: Int, dirty: Int) {
            self.name = name
            self.entries = entries
            self.dirty = dirty
        }
    }

    /// Creates the sizes of a store; for backends.
    public init(databaseSize: Int64, freeSize: Int64, logSize: Int64, soups: [Soup]) {
        self.databaseSize = databaseSize
        self.freeSize = freeSize
        self.logSize = logSize
        self.soups = soups
    }
}
