// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SQLiteStore
internal import SoupCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension ConfigurationFolder {
    /// The file that the store of a scope lies in, there or not.
    ///
    /// - Parameter path: one that wins over the configuration's, as opening takes it.
    /// - Returns: nil when the scope's backend is another than `sqlite`: whether it keeps a file nobody else knows.
    public func storeFile(in scope: StoreScope, at path: String? = nil) -> String? {
        let backend = self[scope].store?.backend ?? .standard
        guard backend.type == SQLiteStore.name else { return nil }
        if let path { return path }
        let file = backend.configuration["path"]?.stringValue ?? scope.databaseFile
        return file.hasPrefix("/") ? file : self.path.hasSuffix("/") ? self.path + file : "\(self.path)/\(file)"
    }

    /// Makes the folders that the file of a store is to lie in.
    ///
    /// - Throws: ``SoupError`` with `storeUnusable`.
    func makeFolders(for file: String) throws {
        let folder = URL(filePath: file).deletingLastPathComponent().path
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw SoupError(
                .storeUnusable, "the folder \(folder) is not there and cannot be made", place: Place(file: file),
                hint: "Create it, or give another path", cause: error)
        }
    }
}
