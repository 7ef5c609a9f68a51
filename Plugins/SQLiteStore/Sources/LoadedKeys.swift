// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore
internal import Synchronization

/// The keys of soups that are loaded for the first time, so that their look-ups need no index yet.
///
/// A first load mostly brings records that the soup does not have. Knowing that from memory saves it a search for each,
/// and the index can be built after the rows, as the others are.
final class LoadedKeys: Sendable {
    private let sets = Mutex<[Int64: KeySet]>([:])

    /// Begins a set for an empty soup.
    func begin(_ set: KeySet, of table: SoupTable) { sets.withLock { $0[table.number] = set } }

    /// Whether the keys at `path` are known.
    ///
    /// - Parameter version: of the file, as it is. Keys that were noted at another one are forgotten: somebody else has
    ///   written since.
    func know(_ path: JSONPath, of table: SoupTable, at version: Int64) -> Bool {
        sets.withLock { sets in
            guard let set = sets[table.number] else { return false }
            if set.fileVersion != version { sets[table.number] = nil }
            return set.fileVersion == version && set.path == path
        }
    }

    /// Takes the set of a soup out for a write, which puts it back when it has noted its own keys.
    ///
    /// A write that fails in between leaves none behind: then an index does the work.
    func take(of table: SoupTable) -> KeySet? { sets.withLock { $0.removeValue(forKey: table.number) } }

    /// Puts a set back, unless it has become too large to be worth its memory.
    func putBack(_ set: KeySet, of table: SoupTable) {
        if set.isFull { return }
        sets.withLock { $0[table.number] = set }
    }

    /// Forgets the set of a soup that has its indexes now, or is gone.
    func forget(_ table: SoupTable) { sets.withLock { $0[table.number] = nil } }
}

/// Which values a text column may hold: the hashes of all that were ever written there.
///
/// It may say yes to a value that is not there, never no to one that is.
struct KeySet {
    let path: JSONPath
    /// SQLite's `data_version`: another one tells that another process has written to the file.
    let fileVersion: Int64
    private var hashes: Set<Int> = []
    /// Whether a value came that the set has no hash for.
    private(set) var isIncomplete = false

    /// Eight to sixteen bytes a key, about 2 MB: with more of them the set would double.
    private static var limit: Int { 195_000 }

    init(path: JSONPath, fileVersion: Int64) {
        self.path = path
        self.fileVersion = fileVersion
    }

    var isFull: Bool { hashes.count >= Self.limit }

    /// Notes what is written to the column.
    mutating func insert(_ value: IndexValue, from source: UnsafeBufferPointer<UInt8>) {
        if case .null = value { return }
        guard let hash = Self.hash(value, from: source) else {
            isIncomplete = true
            return
        }
        hashes.insert(hash)
    }

    func mayHold(_ value: IndexValue, from source: UnsafeBufferPointer<UInt8>) -> Bool {
        if isIncomplete { return true }
        return Self.hash(value, from: source).map(hashes.contains) ?? true
    }

    /// Nil for numbers: SQLite keeps them as texts of its own making.
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
