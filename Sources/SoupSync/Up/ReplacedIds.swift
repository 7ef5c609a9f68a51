// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The IDs that pushes replaced with the server's IDs.
///
/// When a record gets its server ID, the entries in the store that refer to it are updated. An app that has read the
/// record before, and saves another reference to it after that, still uses the old ID. This soup maps such an old ID to
/// the new one.
enum ReplacedIds {
    private static let table = EngineTable(soup: "syncs_replaced_ids")
    /// The maximum number of IDs to keep, the latest ones; an app does not keep an old ID for long.
    static let maximum = 20_000

    /// The replacement of a record's ID.
    struct Change: Sendable, Hashable {
        var soup: SoupName
        var old: String
        var new: String
    }

    /// Saves replaced IDs, and removes the oldest ones beyond the ``maximum``.
    static func add(_ changes: [Change], _ writer: any StoreWriter) throws {
        guard !changes.isEmpty else { return }
        // An ID that is replaced again counts as the latest.
        try table.remove(changes.map { key($0.old, $0.soup) }, in: writer)
        try table.set(changes.map { (key: key($0.old, $0.soup), members: [("id", .string($0.new))]) }, in: writer)
        try table.prune(to: maximum, in: writer)
    }

    /// Returns the current ID of a record; `nil` if no replacement is recorded.
    static func currentId(of id: String, in soup: SoupName, _ reader: any StoreReader) throws -> String? {
        var (current, seen) = (id, Set([id]))
        // A record that was recreated has had more than two IDs.
        while let next = try table.entry(key(current, soup), in: reader)?["id"]?.stringValue, seen.insert(next).inserted
        {
            current = next
        }
        return current == id ? nil : current
    }

    /// Returns the current IDs of records of any of the soups, by the replaced IDs; others are left out.
    static func currentIds(
        of ids: Set<String>, in layouts: [RecordLayout], _ reader: any StoreReader
    ) throws -> [String: String] {
        let soups = Set(layouts.flatMap(\.soups))
        var current: [String: String] = [:]
        for id in ids {
            current[id] = try soups.lazy.compactMap { try currentId(of: id, in: $0, reader) }.first
        }
        return current
    }

    /// Returns the replaced IDs of a record; reads all rows.
    static func formerIds(of id: String, in soup: SoupName, _ reader: any StoreReader) throws -> [String] {
        let suffix = key("", soup)
        return try table.entries(in: reader).compactMap { row in
            guard row["id"]?.stringValue == id, let key = row["key"]?.stringValue, key.hasSuffix(suffix) else {
                return nil
            }
            return String(key.dropLast(suffix.count))
        }
    }

    private static func key(_ id: String, _ soup: SoupName) -> String { "\(id)@\(soup)" }
}
