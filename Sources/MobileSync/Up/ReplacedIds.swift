// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The ids that pushes replaced by the server's, of records that can have children.
///
/// When a parent gets its id, the children that the store has by then are brought in line. An app that has read the
/// parent before, and makes a child for it afterwards, still puts it under the old id. Here is what that became.
enum ReplacedIds {
    private static let log = KeyedLog(soup: "syncs_replaced_ids")
    /// How many are remembered, the latest: an app does not hold on to an old id for long.
    static let maximum = 5000

    /// Remembers that a record has another id now.
    static func note(_ old: String, became new: String, in soup: SoupName, _ writer: any StoreWriter) throws {
        try log.set([(key: key(old, soup), members: [("id", .string(new))])], in: writer)
    }

    /// The id that a record has now; nil when it was not replaced, as far as it is remembered.
    static func successor(of id: String, in soup: SoupName, _ reader: any StoreReader) throws -> String? {
        var (current, seen) = (id, Set([id]))
        // A record that was made again has had more than two.
        while let next = try log.entry(key(current, soup), in: reader)?["id"]?.stringValue, seen.insert(next).inserted {
            current = next
        }
        return current == id ? nil : current
    }

    /// Forgets the oldest beyond the ``maximum``.
    static func prune(in writer: any StoreWriter) throws { try log.prune(to: maximum, in: writer) }

    private static func key(_ id: String, _ soup: SoupName) -> String { "\(id)@\(soup)" }
}
