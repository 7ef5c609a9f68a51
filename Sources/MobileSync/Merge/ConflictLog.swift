// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The conflicts that nobody has resolved yet, each with the server's version of the record: of MERGE, and what
/// LEAVE_IF_CHANGED did not send.
///
/// A soup of its own: the version of this device is the entry itself, and what both started from is its synced copy.
enum ConflictLog {
    private static let log = KeyedLog(soup: "syncs_conflicts")

    /// A conflict, as far as the entry itself does not tell it.
    struct Note: Sendable, Hashable {
        var key: EntryKey
        /// What the server has; nil when the record was deleted there.
        var remote: JSONText?
        var fields: [String]
        /// See ``RecordConflict/code``.
        var code: String
        /// The modification date of what both sides started from; nil when it is not known.
        var baseTime: Int64?
        var idField: String
        var modificationDateField: String

        init(
            _ key: EntryKey, remote: JSONText?, fields: [String], code: String = PushFailure.conflict.code,
            baseTime: Int64?, _ part: RecordLayout.Part
        ) {
            self.key = key
            self.remote = remote
            self.fields = fields
            self.code = code
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
            code = entry["code"]?.stringValue ?? PushFailure.conflict.code
            baseTime = entry["baseTime"]?.intValue
            idField = entry["idField"]?.stringValue ?? "Id"
            modificationDateField = entry["modificationDateField"]?.stringValue ?? "LastModifiedDate"
        }

        /// The part of a layout that the entry belongs to.
        var part: RecordLayout.Part {
            RecordLayout.Part(soup: key.soup, idField: idField, modificationDateField: modificationDateField)
        }

        /// Whether it is of a sync that does not merge, and therefore about the record as a whole.
        var isWhole: Bool { code != PushFailure.conflict.code }

        /// Whether it tells what the server has, and not merely that it is something else.
        var isTold: Bool {
            guard let remote else { return true }
            let server = EntryMerge.serverMembers(part)
            return remote.members?.contains { !server.contains($0.key) } ?? false
        }

        fileprivate var members: KeyedLog.Members {
            get throws {
                [
                    ("soup", .string(key.soup.rawValue)), ("entryId", .integer(key.id)), ("remote", remote ?? .null),
                    ("fields", try JSONValue.array(fields.map { .string($0) }).jsonText()), ("code", .string(code)),
                    ("baseTime", baseTime.map { .integer($0) } ?? .null), ("idField", .string(idField)),
                    ("modificationDateField", .string(modificationDateField)),
                ]
            }
        }
    }

    /// All notes, in the order in which they were written first.
    static func notes(in reader: any StoreReader) throws -> [Note] {
        try log.entries(in: reader).compactMap { Note($0) }
    }

    /// The note about an entry.
    static func note(of key: EntryKey, in reader: any StoreReader) throws -> Note? {
        try log.entry(key.text, in: reader).flatMap { Note($0) }
    }

    /// Writes a note down, in place of an earlier one about the same entry.
    static func set(_ note: Note, in writer: any StoreWriter) throws {
        try log.set([(key: note.key.text, members: try note.members)], in: writer)
    }

    /// Takes the note about an entry away, if there is one.
    static func clear(_ key: EntryKey, in writer: any StoreWriter) throws { try log.remove(key.text, in: writer) }

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
        let base = try reader.syncedCopy(of: note.key)
        return EntryMerge.time(base, note.part) == then
    }
}

extension StoreReader {
    /// What an entry with local changes was before them, as it was stored; nil where nobody kept it.
    func syncedCopy(of key: EntryKey) throws -> JSONText? {
        do {
            return try syncedCopies(of: [key.id], in: key.soup)[key.id]
        } catch let error as SoupError where error.code == .notSupported {
            return nil
        }
    }
}
