// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// How much a store holds.
public struct StoreStatistics: Sendable, Hashable {
    /// The bytes of the database, with what is committed and not yet copied into its file; 0 for a store in memory.
    public var databaseSize: Int64
    /// The bytes in it that hold nothing, and that ``StoreBackend/compact()`` gives back.
    public var freeSize: Int64
    /// The bytes of the log beside the file, which a checkpoint empties.
    public var logSize: Int64
    /// The soups, sorted by name.
    public var soups: [Soup]

    /// How much a soup holds.
    public struct Soup: Sendable, Hashable {
        /// Its name.
        public var name: SoupName
        /// How many entries it has.
        public var entries: Int
        /// How many of them have local changes.
        public var dirty: Int

        /// Made by backends.
        public init(name: SoupName, entries: Int, dirty: Int) {
            self.name = name
            self.entries = entries
            self.dirty = dirty
        }
    }

    /// Made by backends.
    public init(databaseSize: Int64, freeSize: Int64, logSize: Int64, soups: [Soup]) {
        self.databaseSize = databaseSize
        self.freeSize = freeSize
        self.logSize = logSize
        self.soups = soups
    }
}
