// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The entries of a folder in one of the layouts.
///
/// An entry exists if its value exists. The key is written before the value and deleted after it, and each step is on
/// the disk before the next one. If the process is killed, every value therefore has its key, and a key without a value
/// can be ignored.
struct KeyValueEntries: Sendable {
    let folder: KeyValueFolder
    let layout: KeyValueLayout

    /// Creates a temporary file for the value of a key.
    func temporaryFile(_ bytes: some Collection<UInt8> = [], forKey key: String) throws -> TemporaryFile {
        try folder.temporaryFile(bytes, for: valueFile(hash(of: key)))
    }

    private func hash(of key: String) -> KeyHash { folder.encoding.hash(of: key) }

    private func valueFile(_ hash: KeyHash) -> String {
        layout == .valuesOnly ? hash.text : hash.text + KeyValueFolder.valueSuffix
    }

    private func keyFile(_ hash: KeyHash) -> String? {
        layout == .valuesOnly ? nil : hash.text + KeyValueFolder.keySuffix
    }

    // MARK: Reading

    func open(_ key: String) throws -> FileContents? {
        let name = valueFile(hash(of: key))
        let contents = try FileContents(folder.file(name), framing: folder.framing(of: name))
        try folder.requireSameFolder()
        return contents
    }

    /// Returns the hashes of the entries, sorted.
    func hashes() throws -> [KeyHash] {
        let suffix = layout == .valuesOnly ? "" : KeyValueFolder.valueSuffix
        let names = Result { try folder.names() }
        try folder.requireSameFolder()
        return try names.get().filter { $0.hasSuffix(suffix) }
            .compactMap { KeyHash(text: $0.dropLast(suffix.count)) }.sorted { $0.text < $1.text }
    }

    func keys() throws -> [String] {
        guard layout != .valuesOnly else {
            throw SoupError(
                .notSupported, "a key-value store of version \(layout.rawValue) does not store its keys",
                place: SoupError.Place(file: folder.path),
                hint: "Save its values in a new store, with the keys that the app knows.")
        }
        let keys = try folder.locked(.shared) { _ in try hashes().map(key) }
        return keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    private func key(_ hash: KeyHash) throws -> String {
        let name = hash.text + KeyValueFolder.keySuffix
        guard let data = try folder.contents(of: name), let key = String(validating: data, as: UTF8.self),
            self.hash(of: key) == hash
        else {
            throw SoupError(
                .storeUnusable, "the file does not contain the key of its value",
                place: SoupError.Place(file: folder.file(name)), hint: "Save the value again, or delete both files.")
        }
        return key
    }

    // MARK: Writing

    /// Publishes a finished file as the value of a key.
    func publish(_ temporary: TemporaryFile, forKey key: String) throws {
        let hash = hash(of: key)
        try folder.locked(.exclusive) { descriptor in
            do {
                if let name = keyFile(hash), (try? folder.contents(of: name)) != Data(key.utf8) {
                    try folder.write(key.utf8, to: name, syncing: descriptor)
                }
                try temporary.publish(as: folder.file(valueFile(hash)))
            } catch {
                if let name = keyFile(hash), (try? open(key) == nil) == true {
                    _ = try? folder.changes.remove(folder.file(name))
                }
                throw error
            }
            try folder.changes.syncFolder(descriptor, folder.path)
        }
    }

    /// Deletes the value of a key.
    ///
    /// - Returns: whether there was a value.
    func delete(_ key: String) throws -> Bool {
        let hash = hash(of: key)
        return try folder.locked(.exclusive) { try delete([hash], syncing: $0) }
    }

    func deleteAll() throws {
        try folder.locked(.exclusive) { descriptor in _ = try delete(try hashes(), syncing: descriptor) }
    }

    private func delete(_ hashes: [KeyHash], syncing descriptor: Int32) throws -> Bool {
        var found = false
        for hash in hashes where try folder.changes.remove(folder.file(valueFile(hash))) { found = true }
        if found { try folder.changes.syncFolder(descriptor, folder.path) }
        for name in hashes.compactMap(keyFile) { try folder.changes.remove(folder.file(name)) }
        return found
    }
}
