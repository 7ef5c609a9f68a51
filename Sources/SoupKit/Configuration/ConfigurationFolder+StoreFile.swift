// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSQLite
internal import SoupCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension ConfigurationFolder {
    /// Returns the file of the scope's store, whether it exists or not.
    ///
    /// - Parameter store: a file that overrides the configuration's, as for opening.
    /// - Returns: nil if the scope's backend is not `sqlite`: other backends need not use a file.
    public func storeFile(in scope: StoreScope, at store: URL? = nil) -> URL? {
        let backend = self[scope].store?.backend ?? .standard
        guard backend.type == SQLiteStore.name else { return nil }
        if let store { return store }
        let file = backend.configuration["path"]?.stringValue ?? scope.databaseFile
        return file.hasPrefix("/")
            ? URL(filePath: file, directoryHint: .notDirectory)
            : folder.appending(path: file, directoryHint: .notDirectory)
    }

    /// Creates the missing folders of a store's file.
    ///
    /// - Throws: ``SoupError`` with `storeUnusable`.
    func makeFolders(for file: String) throws {
        let folder = URL(filePath: file).deletingLastPathComponent().path
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw SoupError(
                .storeUnusable, "the folder \(folder) does not exist and cannot be created",
                place: SoupError.Place(file: file),
                hint: "Create it, or choose another path.", cause: error)
        }
    }
}
