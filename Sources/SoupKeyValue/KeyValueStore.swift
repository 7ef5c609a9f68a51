// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A type that stores values of any kind by key: texts, pictures, server responses.
///
/// A key is any text that is not empty. Keys are equal if their bytes are equal, so a composed letter and a decomposed
/// one are different keys. Many tasks may use a store at once. A read returns one complete value, the old or the new
/// one; of several saves of one key, the last one wins.
///
/// In a cancelled task, a call throws `CancellationError` and does nothing. A call that already accesses its files is
/// completed.
public protocol KeyValueStore: Sendable {
    /// The name, which distinguishes the store from others in the same folder.
    var name: String { get }

    /// Saves a value for a key, and replaces the existing one.
    ///
    /// - Throws: ``SoupError``: `badKey`; `storeUnusable` if the files cannot be written; the key then keeps its value.
    func save(_ value: Data, forKey key: String) async throws

    /// Saves the bytes of a sequence as one value, without holding them all in memory.
    ///
    /// - Parameter chunks: the next chunk is requested when the previous one is written. If the sequence throws, or the
    ///   task is cancelled between two chunks, the key keeps its value.
    /// - Throws: the error of the sequence, and the errors of ``save(_:forKey:)-(Data,_)``.
    func save<Chunks: AsyncSequence>(chunks: Chunks, forKey key: String) async throws where Chunks.Element == Data

    /// Returns the value of a key; nil if there is none.
    ///
    /// - Throws: ``SoupError``: `badKey`; `storeUnusable`, with the file that cannot be read.
    func data(forKey key: String) async throws -> Data?

    /// Returns the value of a key in pieces; nil if there is none.
    ///
    /// - Throws: the errors of ``data(forKey:)``.
    func chunks(forKey key: String) async throws -> KeyValueChunks?

    /// Returns whether the key has a value.
    func contains(_ key: String) async throws -> Bool

    /// Deletes the value of a key.
    ///
    /// - Returns: whether the key had a value.
    @discardableResult
    func delete(_ key: String) async throws -> Bool

    /// Deletes all values, one after the other.
    func deleteAll() async throws

    /// Returns the keys, sorted by their bytes.
    ///
    /// - Throws: ``SoupError``: `notSupported` in stores that do not store their keys.
    func keys() async throws -> [String]

    /// Returns the number of values.
    func count() async throws -> Int

    /// Checks that the store still exists; cheap enough to call before every read of a cached value.
    ///
    /// The default does nothing, which is correct for stores that cannot be removed.
    ///
    /// - Throws: ``SoupError`` with `storeUnusable` if the store was removed.
    func requireStore() async throws
}

extension KeyValueStore {
    /// Does nothing: assumes that the store exists.
    public func requireStore() async throws {}

    /// Saves a text as UTF-8.
    ///
    /// - Throws: the errors of the form that takes bytes.
    public func save(_ text: String, forKey key: String) async throws { try await save(Data(text.utf8), forKey: key) }

    /// Returns the value of a key as text; nil if there is none.
    ///
    /// - Throws: ``SoupError`` with `notText` if the value is not UTF-8; the errors of ``data(forKey:)``.
    public func string(forKey key: String) async throws -> String? {
        guard let data = try await data(forKey: key) else { return nil }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw SoupError(
                .notText, "the value of \"\(key)\" in the key-value store \"\(name)\" is not UTF-8 text",
                hint: "Read it with data(forKey:).")
        }
        return text
    }

    /// Returns whether the store has no values.
    public func isEmpty() async throws -> Bool { try await count() == 0 }
}

extension SoupError.Code {
    /// The key is empty.
    public static let badKey: Self = "badKey"
    /// A value was requested as text and is not UTF-8.
    public static let notText: Self = "notText"
}
