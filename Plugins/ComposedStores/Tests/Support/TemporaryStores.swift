// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import ComposedStores
import Foundation
import SoupCore
import SoupMemory
import SoupSQLite

/// Opens stores in a folder that is removed with this object.
final class TemporaryStores: Sendable {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "soupkit-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    static func registry() throws -> PluginRegistry {
        try PluginRegistry([ComposedStoresModule(), MemoryStoreModule(), SQLiteStoreModule()])
    }

    /// The names of the databases in the folder, sorted.
    var files: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
                $0.hasSuffix(".sqlite") || $0.hasSuffix(".db")
            }.sorted()
        }
    }

    /// Opens the store that a configuration describes.
    func open(_ configuration: JSONValue, file: URL? = nil) async throws -> any StoreBackend {
        var problems: [ConfigurationProblem] = []
        let open = try Self.registry().backend(
            StoreReference(configuration), context: StoreContext(folder: folder, file: file), problems: &problems)
        guard let open else { throw ConfigurationError(problems) }
        return try await open()
    }

    func sqlite(_ file: String) async throws -> SQLiteStore {
        try await SQLiteStore.open(.init(path: file), in: StoreContext(folder: folder))
    }

    /// Opens a routed store with the soup `b` in another store than the soup `a`.
    ///
    /// - Parameter kind: the type of the other store.
    func routed(_ kind: String = "sqlite", soups: [SoupName] = ["a", "b"]) async throws -> any StoreBackend {
        let store = try await open([
            "type": "routed", "default": ["type": "sqlite"], "routes": ["b": ["type": .string(kind)]],
        ])
        try await store.write { writer in
            for soup in soups { try writer.registerSoup(soup, [IndexSpec("k", .string), IndexSpec("n", .integer)]) }
        }
        return store
    }
}

extension StoreBackend {
    func add(_ json: String, to soup: SoupName) async throws {
        let batch = RecordBatch([try JSONText(json)])
        _ = try await write { try $0.upsert(batch, into: soup) }
    }

    /// Returns the entries of a soup as text.
    func dump(_ soup: SoupName) async throws -> [String] {
        try await read { try $0.query(.all(soup, orderedBy: "_soupEntryId", pageSize: 1000)).entries }.map {
            "\($0.id) \($0.stored)"
        }
    }
}

/// Returns the code of the error that the work throws; nil if it throws none.
func code(_ work: () async throws -> Void) async -> SoupError.Code? {
    do {
        try await work()
        return nil
    } catch {
        return (error as? SoupError)?.code ?? "other"
    }
}
