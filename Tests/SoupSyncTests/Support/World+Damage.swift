// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import SoupStore
import SoupCore
import Testing

extension World {
    /// Truncates the stored text of an entry without the store, as a damaged disk does.
    ///
    /// - Returns: the remaining text.
    @discardableResult
    func damage(_ id: Int64, of soup: SoupName = "contacts") async throws -> String {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let file = try #require(names.first { $0.hasSuffix(".sqlite") || $0.hasSuffix(".db") })
        let queue = try DatabaseQueue(path: folder.appending(path: file).path)
        defer { try? queue.close() }
        return try await queue.write { db in
            let number = try #require(
                try Int64.fetchOne(db, sql: "SELECT id FROM soup_attrs WHERE soupName = ?", arguments: [soup.rawValue]))
            try db.execute(
                sql: "UPDATE TABLE_\(number) SET soup = substr(soup, 1, length(soup) - 5) WHERE id = ?",
                arguments: [id])
            return try #require(
                try String.fetchOne(db, sql: "SELECT soup FROM TABLE_\(number) WHERE id = ?", arguments: [id]))
        }
    }

    /// The stored bytes of an entry.
    func raw(_ id: Int64, of soup: SoupName = "contacts") async throws -> String? {
        try await store.retrieveUnchecked([id], from: soup).first.map {
            String(decoding: $0.stored.bytes, as: UTF8.self)
        }
    }
}
