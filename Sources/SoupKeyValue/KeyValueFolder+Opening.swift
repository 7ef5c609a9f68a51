// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension KeyValueFolder {
    /// Creates the folder if it does not exist, detects its layout, and removes files that a killed process left.
    ///
    /// Afterwards only the owner can read the folder. This includes an existing folder that belongs to this user.
    ///
    /// - Parameter secret: the secret of an encrypted folder; nil for a folder that is not encrypted.
    /// - Returns: the entries, and whether this call created the store.
    /// - Throws: ``SoupError``: `storeUnusable` for an unknown version and for a folder of another user;
    ///   `storeEncrypted`, `storeNotEncrypted`, `wrongKey`. No file is changed then.
    func prepare(with secret: StoreSecret? = nil) throws -> (entries: KeyValueEntries, isNew: Bool) {
        let present = try changes.makeFolder(path)
        return try locked(.exclusive) { descriptor in
            var folder = KeyValueFolder(path: path, changes: changes, identity: try FolderIdentity(path))
            let layout = try layout()
            if let layout { folder.encoding = try encoding(of: layout, secret) }
            // A folder whose permissions cannot be changed can still be used.
            try? changes.makePrivate(descriptor, path, names: allNames)
            changes.setDataProtection(path)
            if let layout {
                // Files that stay because the folder is not writable do no harm.
                try? clearLeftovers(layout)
                return (KeyValueEntries(folder: folder, layout: layout), isNew: false)
            }
            try clearTemporaryFiles()
            // Before the version, whichever process created the folder: if the version exists, the names are on the
            // disk.
            try changes.syncName(of: path, madeFrom: present)
            let new = secret == nil ? KeyValueLayout.keysAndValues : .encrypted
            if let secret { folder.encoding = try makeEncoding(secret, syncing: descriptor) }
            try write("\(new.rawValue)".utf8, to: Self.versionFile, syncing: descriptor)
            return (KeyValueEntries(folder: folder, layout: new), isNew: true)
        }
    }

    /// Returns the layout of the folder; nil if it is empty.
    private func layout() throws -> KeyValueLayout? {
        // A header without a version is the rest of an interrupted creation.
        let names = try names().filter { $0 != Self.headerFile }
        if let version = try contents(of: Self.versionFile) {
            let text = String(decoding: version, as: UTF8.self)
            guard let number = Int(text), let layout = KeyValueLayout(rawValue: number) else {
                throw SoupError(
                    .storeUnusable,
                    Int(text).map { "the key-value store has version \($0), which this program does not support" }
                        ?? "the version of the key-value store cannot be read",
                    place: SoupError.Place(file: file(Self.versionFile)),
                    hint: "Update the program, or move the folder; it has not been changed.")
            }
            return layout
        }
        if names.isEmpty { return nil }
        guard names.allSatisfy({ KeyHash(text: $0) != nil }) else {
            throw SoupError(
                .storeUnusable,
                "the folder contains files that do not belong to a key-value store, and no file \"version\"",
                place: SoupError.Place(file: path), hint: "Use another folder; this one has not been changed.")
        }
        return .valuesOnly
    }

    private func clearLeftovers(_ layout: KeyValueLayout) throws {
        try clearTemporaryFiles()
        guard layout != .valuesOnly else { return }
        let names = Set(try names())
        for name in names where name.hasSuffix(Self.keySuffix) {
            let hash = name.dropLast(Self.keySuffix.count)
            if KeyHash(text: hash) != nil && !names.contains(hash + Self.valueSuffix) {
                try changes.remove(file(name))
            }
        }
    }

    private func clearTemporaryFiles() throws {
        for name in try allNames() where name.hasPrefix(TemporaryFile.prefix) {
            try TemporaryFile.removeAbandoned(file(name), changes: changes)
        }
    }
}
