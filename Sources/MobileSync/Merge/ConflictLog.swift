// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The conflicts that nobody has resolved yet, each with the server's version of the record.
///
/// A soup of its own: the version of this device is the entry itself, and what both started from is its synced copy.
enum ConflictLog {
    static let soup: SoupName = "syncs_conflicts"

    /// A conflict, as far as the entry itself does not tell it.
    struct Note: Sendable, Hashable {
        var key: EntryKey
        /// What the server has; nil when the record was deleted there.
        var remote: JSONText?
        var fields: [String]
        /// The modification date of what both sides started from; nil when it is not known.
        var baseTime: Int64?
        var idField: String
        var modificationDateField: String

        init(
            _ key: EntryKey, remote: JSONText?, fields: [String], baseTime: Int64?, _ part: RecordLayout.Part
        ) {
            self.key = key
            self.remote = remote
            self.fields = fields
            self.baseTime = baseTime
            idField = part.idField
            modificationDateField = part.modificationDateField
        }

        /// Reads a note; nil for what is none.
        init?(_ entry: SoupEntry) {
            guard let soup = entry["soup"]?.stringValue, let id = entry["entryId"]?.intValue else { return nil }
            key = EntryKey(soup: SoupName(soup), id: id)
            remote = entry.stored.members?.first { $0.key == "remote" }.flatMap { $0.value == .null ? nil : $0.value }
            fields = entry["fields"]?.arrayValue?.compactMap(\.stringValue) ?? []
            baseTime = entry["baseTime"]?.intValue
            idField = entry["idField"]?.stringValue ?? "Id"
            modificationDateField = entry["modificationDateField"]?.stringValue ?? "LastModifiedDate"
        }

        /// The part of a layout that the entry belongs to.
        var part: RecordLayout.Part {
            RecordLayout.Part(soup: key.soup, idField: idField, modificationDateField: modificationDateField)
        }

        var record: JSONText {
            get throws {
                .object([
                    ("key", .string(text(of: key))), ("soup", .string(key.soup.rawValue)),
                    ("entryId", .integer(key.id)), ("remote", remote ?? .null),
                    ("fields", try JSONValue.array(fields.map { .string($0) }).jsonText()),
                    ("baseTime", baseTime.map { .integer($0) } ?? .null), ("idField", .string(idField)),
                    ("modificationDateField", .string(modificationDateField)),
                ])
            }
        }
    }

    /// All notes, in the order in which they were written first.
    static func notes(in reader: any StoreReader) throws -> [Note] {
        guard try reader.soupExists(soup) else { return [] }
        return try reader.allEntries(.all(soup, pageSize: 1000)).sorted { $0.id < $1.id }.compactMap { Note($0) }
    }

    /// The note about an entry.
    static func note(of key: EntryKey, in reader: any StoreReader) throws -> Note? {
        guard try reader.soupExists(soup), let id = try reader.lookup(.string(text(of: key)), at: "key", in: soup)
        else {
            return nil
        }
        return try reader.retrieve([id], from: soup).first.flatMap { Note($0) }
    }

    /// Writes a note down, in place of an earlier one about the same entry.
    static func set(_ note: Note, in writer: any StoreWriter) throws {
        try writer.registerSoup(soup, [IndexSpec("key", .string)])
        try writer.upsert(RecordBatch([try note.record]), into: soup, matching: .path("key"))
    }

    /// Takes the note about an entry away, if there is one.
    static func clear(_ key: EntryKey, in writer: any StoreWriter) throws {
        guard try writer.soupExists(soup), let id = try writer.lookup(.string(text(of: key)), at: "key", in: soup)
        else {
            return
        }
        try writer.delete([id], from: soup)
    }

    /// Takes away the notes of conflicts that are over.
    static func prune(in writer: any StoreWriter) throws {
        for note in try notes(in: writer) where try !isOpen(note, in: writer) { try clear(note.key, in: writer) }
    }

    /// Whether the entry of a note still has the local changes that the note is about.
    ///
    /// These started from the same version of the record. Others, made when that edit was taken back, are not known to
    /// be in conflict.
    static func isOpen(_ note: Note, in reader: any StoreReader) throws -> Bool {
        guard try reader.soupExists(note.key.soup),
            try reader.retrieve([note.key.id], from: note.key.soup).first?.flags.local ?? false
        else { return false }
        guard let then = note.baseTime else { return true }
        let base = try reader.syncedCopies(of: [note.key.id], in: note.key.soup)[note.key.id]
        return EntryMerge.time(base, note.part) == then
    }

    private static func text(of key: EntryKey) -> String { "\(key.id)@\(key.soup)" }
}
