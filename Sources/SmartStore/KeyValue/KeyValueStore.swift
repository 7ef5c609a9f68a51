// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Values of any shape by their keys: texts, pictures, answers of a server.
///
/// A key is any text that is not empty. Keys are the same when their bytes are, so that a composed letter makes another
/// key than a decomposed one. A store may be used from many tasks at once: a read sees one whole value, the old or the
/// new one, and of several saves of one key the last one to come counts.
///
/// A call in a task that was cancelled throws `CancellationError` and does nothing; one that is at its files already
/// goes on to its end.
public protocol KeyValueStore: Sendable {
    /// What tells the store from others beside it.
    var name: String { get }

    /// Keeps a value under a key, in place of the one that is there.
    ///
    /// - Throws: ``SoupError``: `badKey`; `storeUnusable` when the files cannot be written, and then the key has what
    ///   it had.
    func save(_ value: Data, forKey key: String) async throws

    /// Keeps the bytes of a sequence as one value, without holding them all in memory.
    ///
    /// - Parameter chunks: asked for the next one when the last one is written. When it throws, or the task is
    ///   cancelled between two of them, the key has what it had.
    /// - Throws: what the sequence throws, and what ``save(_:forKey:)-(Data,_)`` throws.
    func save<Chunks: AsyncSequence>(chunks: Chunks, forKey key: String) async throws where Chunks.Element == Data

    /// The value of a key; nil when there is none.
    ///
    /// - Throws: ``SoupError``: `badKey`; `storeUnusable`, naming the file that cannot be read.
    func data(forKey key: String) async throws -> Data?

    /// The value of a key piece by piece; nil when there is none.
    ///
    /// - Throws: as ``data(forKey:)``.
    func chunks(forKey key: String) async throws -> KeyValueChunks?

    /// Whether the key has a value.
    func contains(_ key: String) async throws -> Bool

    /// Deletes the value of a key.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    func delete(_ key: String) async throws -> Bool

    /// Deletes every value, one after the other.
    func deleteAll() async throws

    /// The keys, sorted by their bytes.
    ///
    /// - Throws: ``SoupError``: `notSupported` by stores that do not keep them.
    func keys() async throws -> [String]

    /// How many values there are.
    func count() async throws -> Int

    /// Finds out whether the store is still there; cheap enough to be asked before every read of a value in memory.
    ///
    /// The default takes it for granted, which is right for stores that nobody can remove.
    ///
    /// - Throws: ``SoupError`` with `storeUnusable` when it was removed.
    func requireStore() async throws
}

extension KeyValueStore {
    /// Takes the store for there.
    public func requireStore() async throws {}

    /// Keeps a text, as UTF-8.
    ///
    /// - Throws: as the form that takes bytes.
    public func save(_ text: String, forKey key: String) async throws { try await save(Data(text.utf8), forKey: key) }

    /// The value of a key as text; nil when there is none.
    ///
    /// - Throws: ``SoupError`` with `notText` when the value is not UTF-8; what ``data(forKey:)`` throws.
    public func string(forKey key: String) async throws -> String? {
        guard let data = try await data(forKey: key) else { return nil }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw SoupError(
                .notText, "the value of \"\(key)\" in the key-value store \"\(name)\" is not UTF-8 text",
                hint: "Read it with data(forKey:)")
        }
        return text
    }

    /// Whether there is no value at all.
    public func isEmpty() async throws -> Bool { try await count() == 0 }
}

extension SoupError.Code {
    /// The empty key.
    public static let badKey: Self = "badKey"
    /// A value that was asked for as text and is not UTF-8.
    public static let notText: Self = "notText"
}
