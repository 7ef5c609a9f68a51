// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore
internal import Synchronization

/// The keys of soups during their first load, so that look-ups need no index yet.
///
/// A first load mostly inserts records that the soup does not have. With the keys in memory, most records need no
/// search, and the index can be built after the rows, like the other indexes.
final class LoadedKeys: Sendable {
    private let sets = Mutex<[Int64: KeySet]>([:])

    /// Adds a set for an empty soup.
    func begin(_ set: KeySet, of table: SoupTable) { sets.withLock { $0[table.number] = set } }

    /// Returns whether the keys at `path` are known.
    ///
    /// - Parameter version: the current version of the file. Keys that were recorded at another version are removed,
    ///   because another process has written since.
    func hasKeys(at path: JSONPath, of table: SoupTable, version: Int64) -> Bool {
        sets.withLock { sets in
            guard let set = sets[table.number] else { return false }
            if set.fileVersion != version { sets[table.number] = nil }
            return set.fileVersion == version && set.path == path
        }
    }

    /// Removes and returns the set of a soup for a write, which restores it after recording its own keys.
    ///
    /// If the write fails, the set stays removed, and later look-ups use an index.
    func removeForWrite(of table: SoupTable) -> KeySet? { sets.withLock { $0.removeValue(forKey: table.number) } }

    /// Restores a set, unless it has grown too large.
    func restore(_ set: KeySet, of table: SoupTable) {
        if set.isFull { return }
        sets.withLock { $0[table.number] = set }
    }

    /// Removes the set of a soup whose indexes exist now, or that was removed.
    func removeKeys(of table: SoupTable) { sets.withLock { $0[table.number] = nil } }
}

/// The hashes of all values that were ever written to a text column.
///
/// A look-up may report a value that is absent, but never misses a value that is present.
struct KeySet {
    let path: JSONPath
    /// SQLite's `data_version`: it changes if another process has written to the file.
    let fileVersion: Int64
    private var hashes: Set<Int> = []
    /// Whether the column received a value for which the set has no hash.
    private(set) var isIncomplete = false

    /// The maximum number of keys: 8 to 16 bytes each, about 2 MB.
    ///
    /// With more keys the set would double its memory.
    private static var limit: Int { 195_000 }

    init(path: JSONPath, fileVersion: Int64) {
        self.path = path
        self.fileVersion = fileVersion
    }

    var isFull: Bool { hashes.count >= Self.limit }

    /// Records a value that is written to the column.
    mutating func insert(_ value: IndexValue, from source: UnsafeBufferPointer<UInt8>) {
        if case .null = value { return }
        guard let hash = Self.hash(value, from: source) else {
            isIncomplete = true
            return
        }
        hashes.insert(hash)
    }

    func mayContain(_ value: IndexValue, from source: UnsafeBufferPointer<UInt8>) -> Bool {
        if isIncomplete { return true }
        return Self.hash(value, from: source).map(hashes.contains) ?? true
    }

    /// Returns nil for numbers: SQLite converts them to texts in its own format.
    private static func hash(_ value: IndexValue, from source: UnsafeBufferPointer<UInt8>) -> Int? {
        var hasher = Hasher()
        switch value {
        case .slice(let range):
            hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(source)[range]))
        case .text(let text): text.withUnsafeBytes { hasher.combine(bytes: $0) }
        case .null, .integer, .real: return nil
        }
        return hasher.finalize()
    }
}
