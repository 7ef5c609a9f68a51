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

    /// A record that has another id now.
    struct Change: Sendable, Hashable {
        var soup: SoupName
        var old: String
        var new: String
    }

    /// Remembers that records have other ids now, and forgets the oldest beyond the ``maximum``.
    static func note(_ changes: [Change], _ writer: any StoreWriter) throws {
        guard !changes.isEmpty else { return }
        // An id that is replaced once more counts from then on.
        try log.remove(changes.map { key($0.old, $0.soup) }, in: writer)
        try log.set(changes.map { (key: key($0.old, $0.soup), members: [("id", .string($0.new))]) }, in: writer)
        try log.prune(to: maximum, in: writer)
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

    private static func key(_ id: String, _ soup: SoupName) -> String { "\(id)@\(soup)" }
}
