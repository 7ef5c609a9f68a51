// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupKit

/// An introduction to SoupKit: a store, soups, queries, and a sync with a local org in this process.
@main
struct QuickStart {
    static func main() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "QuickStart-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }

        // A store is a file with soups, and a soup contains entries, which are JSON objects.
        let backend = try await SQLiteStore.open(.init(path: "store.db"), in: StoreContext(folder: folder))
        let store = SmartStore(backend)

        try await Recipes.run(store)
        try await Contacts.run(store)
    }
}
