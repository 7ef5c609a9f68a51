// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// An entry of a soup, by its id.
struct EntryKey: Sendable, Hashable {
    var soup: SoupName
    var id: Int64

    /// The entry in the keys of notes.
    var text: String { "\(id)@\(soup)" }

    init(soup: SoupName, id: Int64) { (self.soup, self.id) = (soup, id) }

    /// Reads ``text``; nil for anything else.
    init?(_ text: String) {
        let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let id = Int64(parts[0]) else { return nil }
        self.init(soup: SoupName(String(parts[1])), id: id)
    }
}

/// Which creations are on their way to the server, written down before they are sent.
///
/// It is a soup of its own, not a mark in the entry: an app that saves the entry while it is in flight replaces all of
/// it, and the one thing that must not be forgotten then is that the server may have the record already. What is found
/// here when nothing is in flight was cut off by a crash or lost its answer.
///
/// One entry holds the marks of a batch, so that a batch costs one to write and one to delete.
enum FlightLog {
    private static let log = KeyedLog(soup: "syncs_in_flight")

    /// A creation whose outcome is not known (yet).
    struct Mark: Sendable, Hashable {
        var key: EntryKey
        /// The `lastModified` that the entry had when its content was sent.
        var version: Int64
        /// What was sent: the server has the record as it was then, and is to be asked for that one.
        var record: JSONText?
        /// Whether the answer is known to be lost; else it is awaited, or was when the process ended.
        var isLost = false
        /// Whether the creation can be sent again as it was without a second record; as another one it cannot.
        var isRepeatable = false
    }

    /// An entry with the marks of a batch.
    private struct Row {
        var id: Int64
        var marks: [Mark]
    }

    /// The marks of entries of these soups.
    static func marks(of soups: Set<SoupName>, in reader: any StoreReader) throws -> [Mark] {
        try rows(in: reader).flatMap(\.marks).filter { soups.contains($0.key.soup) }
    }

    /// Writes marks down, in place of earlier ones of the same entries.
    static func set(_ marks: [Mark], in writer: any StoreWriter) throws {
        guard let first = marks.first else { return }
        try clear(marks.map(\.key), in: writer)
        try log.set([(key: first.key.text, members: [member(marks)])], in: writer)
    }

    /// What stands against marking a unit.
    enum Fate: Sendable {
        case free
        /// One of its entries has a mark.
        case taken
        /// One of its entries is gone, or is not what was read any more.
        case changed
    }

    /// Whether units can be marked, each given by those of its entries that are creations.
    ///
    /// - Parameter own: entries whose marks are those of the run itself.
    static func fates(
        of units: [[PushMember]], besides own: Set<EntryKey>, in reader: any StoreReader
    ) throws -> [Fate] {
        let marked = Set(try marks(of: Set(units.joined().map(\.key.soup)), in: reader).map(\.key)).subtracting(own)
        var versions: [EntryKey: Int64] = [:]
        for (soup, members) in Dictionary(grouping: units.joined(), by: \.key.soup) {
            for entry in try reader.retrieve(members.map(\.key.id), from: soup) {
                versions[EntryKey(soup: soup, id: entry.id)] = entry.lastModified
            }
        }
        return units.map { members in
            if members.contains(where: { marked.contains($0.key) }) { return .taken }
            return members.allSatisfy { versions[$0.key] == $0.version } ? .free : .changed
        }
    }

    /// Takes marks away; entries without one are passed over.
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
            // The name of the row is that of a mark in it: another batch that begins with the same entry replaces none.
            let stamp = Stamp([Stamp.Member("key", .string(first.key.text))])
            let marks = member(rest)
            _ = try writer.stamp(
                [EntryStamp(id: row.id, stamp: stamp.setting(marks.name, marks.value))], in: log.soup)
        }
        if !emptied.isEmpty { try writer.delete(emptied, from: log.soup) }
    }

    // MARK: - Entries

    private static func rows(in reader: any StoreReader) throws -> [Row] {
        try log.entries(in: reader).map { entry in
            let marks = entry.stored.members?.first { $0.key == "marks" }?.value
            return Row(id: entry.id, marks: marks?.elements?.compactMap { mark($0) } ?? [])
        }
    }

    private static func mark(_ text: JSONText) -> Mark? {
        let value = text.value
        guard let soup = value["soup"]?.stringValue, let id = value["entryId"]?.intValue else { return nil }
        return Mark(
            key: EntryKey(soup: SoupName(soup), id: id), version: value["version"]?.intValue ?? 0,
            record: value["record"]?.stringValue.flatMap { try? JSONText($0) },
            isLost: value["isLost"]?.boolValue ?? false, isRepeatable: value["isRepeatable"]?.boolValue ?? false)
    }

    private static func member(_ marks: [Mark]) -> (name: String, value: JSONText) {
        let texts = marks.map { mark in
            // As text: within a mark the record would lie deeper than it does in its own soup.
            JSONText.object([
                ("soup", .string(mark.key.soup.rawValue)), ("entryId", .integer(mark.key.id)),
                ("version", .integer(mark.version)), ("isLost", mark.isLost ? .true : .false),
                ("isRepeatable", mark.isRepeatable ? .true : .false),
                ("record", mark.record.map { .string($0.description) } ?? .null),
            ])
        }
        return ("marks", .array(texts))
    }
}
