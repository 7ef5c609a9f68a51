// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import ComposedStores
import Foundation
import SoupCore
import SoupMemory
import SoupTestStores
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

    /// The paths of the databases in the folder, sorted.
    var files: [String] {
        get throws {
            try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter {
                $0.hasSuffix(".sqlite") || $0.hasSuffix(".db")
            }.sorted()
        }
    }

    /// Returns the problems of a `userstore.json` with a backend.
    static func problems(_ backend: String) throws -> [String] {
        let text = #"{"soups": [], "backend": \#(backend)}"#
        return StoreConfig.read(Array(text.utf8), file: "userstore.json", registry: try registry())
            .problems.map { "\($0.severity) \($0.place.path ?? ""): \($0.message). \($0.hint ?? "")" }
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
        try await SQLiteStore.open(.test(path: file), in: StoreContext(folder: folder))
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

extension TemporaryStores {
    /// A layered store with a memory store before a file, whose quick reads can be counted.
    struct Layered {
        let store: LayeredStore
        let front: LosingStore
        let back: MeteredStore
        /// The back store, inside of `back`.
        let losing: LosingStore

        /// Returns the texts of entries as a quick read returns them, and whether the back store was read.
        func retrieve(_ ids: [Int64], from soup: SoupName = "a") async throws -> (texts: [String], isFromBack: Bool) {
            let before = back.metrics.reads.count
            let entries = try await store.quickRead { try $0.retrieve(ids, from: soup) }
            return (entries.map { "\($0.id) \($0.stored)" }, back.metrics.reads.count != before)
        }

        /// Returns the entries of both stores, as `ID@date text`.
        func contents(of soup: SoupName = "a") async throws -> (front: [String], back: [String]) {
            func entries(_ store: any StoreBackend) async throws -> [String] {
                try await store.read { reader in
                    guard try reader.soupExists(soup) else { return ["no soup"] }
                    return try reader.query(.all(soup, orderedBy: "_soupEntryId", pageSize: 10_000)).entries.map {
                        "\($0.id)@\($0.version) \($0.stored)"
                    }
                }
            }
            return (try await entries(front.inner), try await entries(losing.inner))
        }
    }

    /// Opens a layered store with the soups `a` and `b`.
    func layered(
        _ file: String = "back.db", front: any StoreBackend = MemoryStore(), soups: [SoupName]? = nil
    ) async throws -> Layered {
        let losing = LosingStore(try await sqlite(file))
        let (front, back) = (LosingStore(front), MeteredStore(losing))
        let store = try await LayeredStore(front: front, back: back, soups: soups)
        try await store.write { writer in
            for soup in ["a", "b"] as [SoupName] {
                try writer.registerSoup(soup, [IndexSpec("k", .string), IndexSpec("n", .integer)])
            }
        }
        return Layered(store: store, front: front, back: back, losing: losing)
    }
}

/// A store that keeps the folder of its files.
struct HeldStore: ForwardingStore {
    struct Configuration: Decodable, Sendable {}
    static let name: PluginName = "held"
    let inner: any StoreBackend
    let stores: TemporaryStores
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
