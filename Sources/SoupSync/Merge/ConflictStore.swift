// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The unresolved conflicts of MERGE and LEAVE_IF_CHANGED, each with the server's version of the record.
///
/// The conflicts are kept in a soup of their own. The local version is the entry itself, and the last synced version is
/// its synced copy.
enum ConflictStore {
    private static let table = EngineTable(soup: "syncs_conflicts")

    /// The details of a conflict that the entry itself does not contain.
    struct Note: Sendable, Hashable {
        var key: EntryKey
        /// The server's version; `nil` if the record was deleted there.
        var remote: JSONText?
        /// The fields that could not be merged; empty if the conflict is about the whole record (``isWhole``).
        var fields: [String]
        /// See ``RecordConflict/code``.
        var code: String
        /// The modification date of the last synced version; `nil` if unknown.
        var baseTime: Int64?
        /// The version of the entry that the conflict is about, if ``baseTime`` is unknown.
        var version: Int64?
        /// The unchanged entries above that were deleted on the server; without them the record has no parent.
        var lostParents: [EntryKey] = []
        /// Whether to push the change although other records of its tree are newer on the server.
        ///
        /// Such a conflict is no longer listed.
        var isDecided = false
        /// The layout level of the entry, without its place in a tree.
        let level: RecordLayout.Level

        init(
            _ key: EntryKey, remote: JSONText?, fields: [String], code: String = HoldReason.conflict.code,
            baseTime: Int64?, version: Int64? = nil, _ level: RecordLayout.Level
        ) {
            self.key = key
            self.remote = remote
            self.fields = fields
            self.code = code
            self.baseTime = baseTime
            self.version = version
            self.level = RecordLayout.Level(
                soup: key.soup, idField: level.idField, modificationDateField: level.modificationDateField,
                dateFormat: level.dateFormat, versionField: level.versionField)
        }

        /// Reads a note; `nil` if the entry is not one.
        init?(_ entry: SoupEntry) {
            guard let soup = entry["soup"]?.stringValue, let id = entry["entryId"]?.intValue else { return nil }
            key = EntryKey(soup: SoupName(soup), id: id)
            remote = entry.stored.members?.first { $0.key == "remote" }.flatMap { $0.value == .null ? nil : $0.value }
            fields = entry["fields"]?.arrayValue?.compactMap(\.stringValue) ?? []
            code = entry["code"]?.stringValue ?? HoldReason.conflict.code
            baseTime = entry["baseTime"]?.intValue
            version = entry["version"]?.intValue
            isDecided = entry["isDecided"]?.boolValue ?? false
            lostParents = entry["lostParents"]?.arrayValue?.compactMap { $0.stringValue.flatMap { EntryKey($0) } } ?? []
            level = RecordLayout.Level(
                soup: key.soup, idField: entry["idField"]?.stringValue ?? "Id",
                modificationDateField: entry["modificationDateField"]?.stringValue ?? "LastModifiedDate",
                dateFormat: entry["dateFormat"]?.stringValue.flatMap { try? RecordDateFormat(named: $0) } ?? .iso8601,
                versionField: entry["versionField"]?.stringValue)
        }

        /// Whether the conflict is about the whole record: it is from a sync that does not merge, or about a deleted
        /// parent.
        var isWhole: Bool { code != HoldReason.conflict.code }

        /// Whether the values of the server's record are known.
        ///
        /// A target that cannot fetch records reports only the ID and the date of a newer version.
        var hasServerValues: Bool {
            guard let remote else { return true }
            let server = EntryMerge.serverMembers(level, in: [remote])
            return remote.members?.contains { !server.contains($0.key) } ?? false
        }

        fileprivate var members: EngineTable.Members {
            get throws {
                [
                    ("soup", .string(key.soup.rawValue)), ("entryId", .integer(key.id)), ("remote", remote ?? .null),
                    ("fields", try JSONValue.array(fields.map { .string($0) }).jsonText()), ("code", .string(code)),
                    ("baseTime", baseTime.map { .integer($0) } ?? .null),
                    ("version", version.map { .integer($0) } ?? .null),
                    ("isDecided", isDecided ? .true : .false),
                    ("lostParents", try JSONValue.array(lostParents.map { .string($0.text) }).jsonText()),
                    ("idField", .string(level.idField)),
                    ("modificationDateField", .string(level.modificationDateField)),
                    ("dateFormat", .string(level.dateFormat.name)),
                    ("versionField", level.versionField.map { .string($0) } ?? .null),
                ]
            }
        }
    }

    /// Returns all notes, in the order in which they were first written.
    static func notes(in reader: any StoreReader) throws -> [Note] {
        try table.entries(in: reader).compactMap { Note($0) }
    }

    /// Returns the note about an entry.
    static func note(of key: EntryKey, in reader: any StoreReader) throws -> Note? {
        try table.entry(key.text, in: reader).flatMap { Note($0) }
    }

    /// Returns the notes about entries, by entry; entries without a note are left out.
    static func notes(of keys: [EntryKey], in reader: any StoreReader) throws -> [EntryKey: Note] {
        let notes = try table.entries(of: keys.map(\.text), in: reader).values.compactMap { Note($0) }
        return Dictionary(notes.map { ($0.key, $0) }, uniquingKeysWith: { $1 })
    }

    /// Saves a note, which replaces an earlier note about the same entry.
    static func set(_ note: Note, in writer: any StoreWriter) throws { try set([note], in: writer) }

    /// Saves notes, each of which replaces an earlier note about the same entry.
    static func set(_ notes: [Note], in writer: any StoreWriter) throws {
        try table.set(try notes.map { (key: $0.key.text, members: try $0.members) }, in: writer)
    }

    /// Removes the note about an entry, if there is one.
    static func clear(_ key: EntryKey, in writer: any StoreWriter) throws { try clear([key], in: writer) }

    /// Removes the notes about entries; entries without a note are ignored.
    static func clear(_ keys: [EntryKey], in writer: any StoreWriter) throws {
        try table.remove(keys.map(\.text), in: writer)
    }

    /// Removes the notes of conflicts that have ended.
    static func prune(in writer: any StoreWriter) throws {
        try clear(try notes(in: writer).filter { try !isOpen($0, in: writer) }.map(\.key), in: writer)
    }

    /// Returns whether an entry is in a conflict that the user has not resolved yet.
    static func isListed(_ key: EntryKey, in reader: any StoreReader) throws -> Bool {
        guard let note = try note(of: key, in: reader) else { return false }
        return try isListed(note, in: reader)
    }

    /// Returns whether the conflict of a note is one that the user has not resolved yet.
    static func isListed(_ note: Note, in reader: any StoreReader) throws -> Bool {
        try !note.isDecided && isOpen(note, in: reader)
    }

    /// Returns whether the entry of a note still has the local changes that the note is about.
    ///
    /// The changes are the same if they started from the same synced version. If an edit was discarded and a new edit
    /// was made, the new edit is not known to be in conflict. If the synced version is unknown, as for a creation, the
    /// note applies only to the entry's version at that time, because a later edit may have been made after the server
    /// accepted that version. A conflict of MERGE stays open when the entry is edited, because it keeps these edits
    /// from being pushed; for such an entry, the synced copy shows whether it was synced since.
    static func isOpen(_ note: Note, in reader: any StoreReader) throws -> Bool {
        guard try reader.soupExists(note.key.soup),
            let entry = try reader.retrieve([note.key.id], from: note.key.soup).first, entry.flags.local,
            EntryMerge.time(try reader.syncedCopy(of: note.key), note.level) == note.baseTime
        else { return false }
        return note.baseTime != nil || !note.isWhole || note.version == entry.version
    }
}

extension StoreReader {
    /// Returns the synced copy of an entry with local changes, as it was stored; `nil` if there is none.
    func syncedCopy(of key: EntryKey) throws -> JSONText? {
        try syncedCopies(of: [key.id], in: key.soup)[key.id]
    }

    /// Returns the record in the synced copy of an entry with local changes; `nil` if there is none.
    func syncedRecord(of key: EntryKey) throws -> JSONText? {
        try syncedCopy(of: key).map { SoupEntry(id: key.id, version: 0, stored: $0).recordForServer }
    }
}
