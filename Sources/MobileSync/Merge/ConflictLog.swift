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
        /// What a merge could not merge; empty where the note is about the record as a whole (``isWhole``).
        var fields: [String]
        /// See ``RecordConflict/code``.
        var code: String
        /// The modification date of what both sides started from; nil when it is not known.
        var baseTime: Int64?
        /// The version of the entry that the note is about, where ``baseTime`` does not tell it.
        var version: Int64?
        /// The entries above that were not changed here and are gone on the server: without them there is nothing to
        /// put the record under.
        var lostParents: [EntryKey] = []
        /// Whether the change is to go up although others of its tree are newer on the server: it is listed no more.
        var isDecided = false
        var idField: String
        var modificationDateField: String

        init(
            _ key: EntryKey, remote: JSONText?, fields: [String], code: String = PushFailure.conflict.code,
            baseTime: Int64?, version: Int64? = nil, _ part: RecordLayout.Part
        ) {
            self.key = key
            self.remote = remote
            self.fields = fields
            self.code = code
            self.baseTime = baseTime
            self.version = version
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
            version = entry["version"]?.intValue
            isDecided = entry["isDecided"]?.boolValue ?? false
            lostParents = entry["lostParents"]?.arrayValue?.compactMap { $0.stringValue.flatMap { EntryKey($0) } } ?? []
            idField = entry["idField"]?.stringValue ?? "Id"
            modificationDateField = entry["modificationDateField"]?.stringValue ?? "LastModifiedDate"
        }

        /// The part of a layout that the entry belongs to.
        var part: RecordLayout.Part {
            RecordLayout.Part(soup: key.soup, idField: idField, modificationDateField: modificationDateField)
        }

        /// Whether it is about the record as a whole: of a sync that does not merge, or about a parent that is gone.
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
                    ("baseTime", baseTime.map { .integer($0) } ?? .null),
                    ("version", version.map { .integer($0) } ?? .null),
                    ("isDecided", isDecided ? .true : .false),
                    ("lostParents", try JSONValue.array(lostParents.map { .string($0.text) }).jsonText()),
                    ("idField", .string(idField)),
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

    /// The notes about entries, by these; entries without one are left out.
    static func notes(of keys: [EntryKey], in reader: any StoreReader) throws -> [EntryKey: Note] {
        let notes = try log.entries(of: keys.map(\.text), in: reader).values.compactMap { Note($0) }
        return Dictionary(notes.map { ($0.key, $0) }, uniquingKeysWith: { $1 })
    }

    /// Writes a note down, in place of an earlier one about the same entry.
    static func set(_ note: Note, in writer: any StoreWriter) throws { try set([note], in: writer) }

    /// Writes notes down, each in place of an earlier one about the same entry.
    static func set(_ notes: [Note], in writer: any StoreWriter) throws {
        try log.set(try notes.map { (key: $0.key.text, members: try $0.members) }, in: writer)
    }

    /// Takes the note about an entry away, if there is one.
    static func clear(_ key: EntryKey, in writer: any StoreWriter) throws { try clear([key], in: writer) }

    /// Takes the notes about entries away; entries without one are passed over.
    static func clear(_ keys: [EntryKey], in writer: any StoreWriter) throws {
        try log.remove(keys.map(\.text), in: writer)
    }

    /// Takes away the notes of conflicts that are over.
    static func prune(in writer: any StoreWriter) throws {
        try clear(try notes(in: writer).filter { try !isOpen($0, in: writer) }.map(\.key), in: writer)
    }

    /// Whether an entry is in a conflict that somebody is still to decide on.
    static func isListed(_ key: EntryKey, in reader: any StoreReader) throws -> Bool {
        guard let note = try note(of: key, in: reader) else { return false }
        return try !note.isDecided && isOpen(note, in: reader)
    }

    /// Whether the entry of a note still has the local changes that the note is about.
    ///
    /// These started from the same version of the record. Others, made when that edit was taken back, are not known to
    /// be in conflict. Where nobody knows what they started from, as of a creation, only the entry as it was then is
    /// known to be in it: a later edit may as well have been made after the server had taken that. A conflict of MERGE
    /// outlives edits all the same, as it keeps them from the server: there the copy shows that the entry was synced.
    static func isOpen(_ note: Note, in reader: any StoreReader) throws -> Bool {
        guard try reader.soupExists(note.key.soup),
            let entry = try reader.retrieve([note.key.id], from: note.key.soup).first, entry.flags.local,
            EntryMerge.time(try reader.syncedCopy(of: note.key), note.part) == note.baseTime
        else { return false }
        return note.baseTime != nil || !note.isWhole || note.version == entry.lastModified
    }
}

extension StoreReader {
    /// What an entry with local changes was before them, as it was stored; nil where nobody kept it.
    func syncedCopy(of key: EntryKey) throws -> JSONText? {
        try knownSyncedCopies(of: [key.id], in: key.soup)[key.id]
    }

    /// The record that an entry with local changes held before them, as the server has it; nil where nobody kept it.
    func syncedRecord(of key: EntryKey) throws -> JSONText? {
        try syncedCopy(of: key).map { SoupEntry(id: key.id, lastModified: 0, stored: $0).recordForServer }
    }

    /// What entries with local changes were before them, as they were stored; those of which nobody kept it are left
    /// out.
    func knownSyncedCopies(of ids: [Int64], in soup: SoupName) throws -> [Int64: JSONText] {
        do {
            return try syncedCopies(of: ids, in: soup)
        } catch let error as SoupError where error.code == .notSupported {
            return [:]
        }
    }
}
