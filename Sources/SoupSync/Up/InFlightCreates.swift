// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The creations that are in flight, saved before they are sent.
///
/// The marks are in a soup of their own and not in the entry: an app that saves the entry while it is in flight
/// replaces the whole entry, and must not remove the mark. If a mark exists while nothing is in flight, the push was
/// interrupted by a crash, or its response was lost.
///
/// One row contains the marks of a batch, so that each batch costs one write and one delete.
enum InFlightCreates {
    private static let table = EngineTable(soup: "syncs_in_flight")

    /// A creation whose outcome is not known yet.
    struct Mark: Sendable, Hashable {
        var key: EntryKey
        /// The `version` of the entry when its content was sent.
        var version: Int64
        /// The record that was sent; the server is asked for this version of it.
        var record: JSONText?
        /// Whether the response is known to be lost; if not, it is still awaited, or was when the process ended.
        var isLost = false
        /// Whether sending the same content again cannot create a second record; changed content can.
        var isRepeatable = false
        /// The time at which it was sent, in milliseconds since 1970; `nil` in marks of earlier versions.
        var time: Int64?
        /// The members of the entry that were left out for ever, because the user cannot write them on the server.
        var dropped: Set<String> = []
    }

    /// A row with the marks of a batch.
    private struct Row {
        var id: Int64
        var marks: [Mark]
    }

    /// Returns the marks of entries in the given soups.
    static func marks(of soups: Set<SoupName>, in reader: any StoreReader) throws -> [Mark] {
        try rows(in: reader).flatMap(\.marks).filter { soups.contains($0.key.soup) }
    }

    /// Saves marks, which replace earlier marks of the same entries.
    ///
    /// - Returns: the store's date of the transaction, which can be ahead of the clock; `nil` without marks.
    @discardableResult
    static func set(_ marks: [Mark], in writer: any StoreWriter) throws -> Int64? {
        guard let first = marks.first else { return nil }
        try clear(marks.map(\.key), in: writer)
        try table.set([(key: first.key.text, members: [member(marks)])], in: writer)
        return try table.entry(first.key.text, in: writer)?.version
    }

    /// Whether the creations of a tree can be marked.
    enum TreeState: Sendable {
        /// They can be marked.
        case unmarked
        /// One of them already has a mark of another run.
        case marked
        /// One of their entries was removed or changed since the tree was read.
        case changed
    }

    /// Returns whether the creations of trees can be marked, by the keys of the trees.
    ///
    /// - Parameter own: entries whose marks belong to this run.
    static func states(
        of trees: [PushTree], besides own: Set<EntryKey>, in reader: any StoreReader
    ) throws -> [EntryKey: TreeState] {
        let creations = trees.flatMap(\.creations)
        let marked = Set(try marks(of: Set(creations.map(\.key.soup)), in: reader).map(\.key)).subtracting(own)
        var versions: [EntryKey: Int64] = [:]
        for (soup, records) in Dictionary(grouping: creations, by: \.key.soup) {
            for entry in try reader.retrieve(records.map(\.key.id), from: soup) {
                versions[EntryKey(soup: soup, id: entry.id)] = entry.version
            }
        }
        var states: [EntryKey: TreeState] = [:]
        for tree in trees {
            let creations = tree.creations
            let isUnchanged = creations.allSatisfy { versions[$0.key] == $0.version }
            let isMarked = creations.contains { marked.contains($0.key) }
            states[tree.key] = isMarked ? .marked : isUnchanged ? .unmarked : .changed
        }
        return states
    }

    /// Removes marks; entries without a mark are ignored.
    static func clear(_ keys: [EntryKey], in writer: any StoreWriter) throws {
        guard !keys.isEmpty else { return }
        let keys = Set(keys)
        var emptied: [Int64] = []
        for row in try rows(in: writer) {
            let rest = row.marks.filter { !keys.contains($0.key) }
            guard rest.count < row.marks.count else { continue }
            guard let first = rest.first else {
                emptied.append(row.id)
                continue
            }
            // The row's key must be that of a mark in it, so that another batch that begins with the removed entry does
            // not replace this row.
            let stamp = RecordBatch.Stamp([RecordBatch.Stamp.Member("key", .string(first.key.text))])
            let marks = member(rest)
            _ = try writer.stamp(
                [EntryStamp(id: row.id, stamp: stamp.setting(marks.name, marks.value))], in: table.soup)
        }
        if !emptied.isEmpty { try writer.remove(emptied, from: table.soup) }
    }

    // MARK: - Entries

    /// - Throws: ``SoupError`` with `entryDamaged` if a mark cannot be read, because the creation of the unknown entry
    ///   could be sent a second time.
    private static func rows(in reader: any StoreReader) throws -> [Row] {
        try table.entries(in: reader).map { entry in
            let texts = entry.stored.members?.first { $0.key == "marks" }?.value.elements ?? []
            let marks = texts.compactMap { mark($0) }
            guard !marks.isEmpty, marks.count == texts.count else {
                throw SoupError(
                    .entryDamaged,
                    "row \(entry.id) of \(table.soup.rawValue) is damaged: it names no creations whose outcome is unknown",
                    hint:
                        "Compare the entries without an ID with the server, and remove those whose records are there: "
                        + "soup delete SOUP ENTRY --now. Then remove the row: "
                        + "soup delete \(table.soup.rawValue) \(entry.id) --now")
            }
            return Row(id: entry.id, marks: marks)
        }
    }

    private static func mark(_ text: JSONText) -> Mark? {
        let value = text.value
        guard let soup = value["soup"]?.stringValue, let id = value["entryId"]?.intValue else { return nil }
        return Mark(
            key: EntryKey(soup: SoupName(soup), id: id), version: value["version"]?.intValue ?? 0,
            record: value["record"]?.stringValue.flatMap { try? JSONText($0) },
            isLost: value["isLost"]?.boolValue ?? false, isRepeatable: value["isRepeatable"]?.boolValue ?? false,
            time: value["time"]?.plausibleTime,
            dropped: Set((value["dropped"]?.arrayValue ?? []).compactMap(\.stringValue)))
    }

    private static func member(_ marks: [Mark]) -> (name: String, value: JSONText) {
        let texts = marks.map { mark in
            // The record is stored as a string, because as an object it would be nested deeper than in its own soup.
            JSONText.object([
                ("soup", .string(mark.key.soup.rawValue)), ("entryId", .integer(mark.key.id)),
                ("version", .integer(mark.version)), ("isLost", mark.isLost ? .true : .false),
                ("isRepeatable", mark.isRepeatable ? .true : .false),
                ("time", mark.time.map { .integer($0) } ?? .null),
                ("dropped", .array(mark.dropped.sorted().map { .string($0) })),
                ("record", mark.record.map { .string($0.description) } ?? .null),
            ])
        }
        return ("marks", .array(texts))
    }
}
