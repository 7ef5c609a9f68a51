// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// Changes by the app: each marks the entry, so that the next sync up sends it.
///
/// Members that a change does not name keep their bytes. Each method is one transaction.
extension SmartStore {
    /// Adds a record that the server does not have yet.
    ///
    /// - Parameters:
    ///   - record: its members. Flags in it are overwritten; an ID in it stays.
    ///   - type: the type of the record, written to `attributes.type`; nil if the record has it, or needs none.
    ///   - idField: the field for the ID; a record without one gets a local ID.
    /// - Throws: ``SoupError``: `badMemberName` for a name with a dot, which would be a path; `badAttributes` for
    ///   `attributes` that cannot have the type.
    @discardableResult
    public func create(
        _ record: JSONObject, type: String? = nil, in soup: SoupName, idField: String = "Id"
    ) async throws -> SoupEntry {
        try await create(try JSONText(written: .object(record)), type: type, in: soup, idField: idField)
    }

    /// Adds a record that the server does not have yet, with its values exactly as written.
    ///
    /// Otherwise it is the same as the form that takes an object.
    ///
    /// - Parameter record: a JSON object. A repeated member stays repeated.
    /// - Throws: ``SoupError``: `json` for a text that is not an object; the errors of the form that takes an object.
    @discardableResult
    public func create(
        _ record: JSONText, type: String? = nil, in soup: SoupName, idField: String = "Id"
    ) async throws -> SoupEntry {
        var members = try record.requiredMembers()
        try RecordBatch.Stamp.checkNames(members.map(\.name))
        func value(_ name: String) -> JSONText? { members.first { $0.name == name }?.value }
        if value(idField).map({ $0 == .null }) ?? true {
            members.removeAll { $0.name == idField }
            members.append((idField, .string(makeLocalId())))
        }
        if let type {
            let attributes = try RecordAttributes.setting(type: type, on: members)
            members.removeAll { $0.name == "attributes" }
            members.append(("attributes", attributes))
        }
        members.removeAll { [EntryField.entryId, EntryField.lastModified].contains($0.name) }
        let batch = RecordBatch([JSONText.object(members)])
        return try await write { writer in
            let results = try writer.upsert(
                batch, into: soup, matching: .entryId, stamping: .locally(created: true), guarding: .none)
            return try writer.entry(results.first?.id ?? 0, of: soup)
        }
    }

    /// Sets members of an entry.
    ///
    /// An entry that was created on this device stays marked as created, and one that is marked as deleted stays
    /// marked.
    ///
    /// - Parameter members: by their names; to change a part of a member, set the whole member.
    /// - Throws: ``SoupError``: `entryNotFound`; `json` for a value that JSON cannot represent; `badMemberName` for a
    ///   name with a dot, which would be a path, and for the members that the store sets itself; `badAttributes` for
    ///   `attributes` without a type, on an entry that has one.
    @discardableResult
    public func edit(_ id: Int64, setting members: JSONObject, in soup: SoupName) async throws -> SoupEntry {
        try await edit(id, setting: try JSONText(written: .object(members)), in: soup)
    }

    /// Sets members of an entry to values exactly as written.
    ///
    /// Otherwise it is the same as the form that takes an object.
    ///
    /// - Parameter members: a JSON object with the members to set; of a repeated member the first is used.
    /// - Throws: ``SoupError``: `json` for a text that is not an object; the errors of the form that takes an object.
    @discardableResult
    public func edit(_ id: Int64, setting members: JSONText, in soup: SoupName) async throws -> SoupEntry {
        let stamp = try Self.stamp(setting: members)
        return try await change(id, in: soup, stamp)
    }

    /// Sets members of an entry that was read before, if it was not written since.
    ///
    /// Otherwise it is the same as the form that takes an ID.
    ///
    /// - Parameter entry: the entry as it was read; its ID and the time of its last write are compared.
    /// - Throws: ``SoupError``: `entryChanged` if the entry was written since, and nothing is written then; the errors
    ///   of the form that takes an ID.
    @discardableResult
    public func edit(_ entry: SoupEntry, setting members: JSONObject, in soup: SoupName) async throws -> SoupEntry {
        try await edit(entry, setting: try JSONText(written: .object(members)), in: soup)
    }

    /// Sets members of an entry that was read before to values exactly as written, if it was not written since.
    ///
    /// Otherwise it is the same as the form that takes an object.
    ///
    /// - Throws: ``SoupError``: `json` for a text that is not an object; the errors of the form that takes an object.
    @discardableResult
    public func edit(_ entry: SoupEntry, setting members: JSONText, in soup: SoupName) async throws -> SoupEntry {
        let stamp = try Self.stamp(setting: members)
        return try await change(entry.id, in: soup, ifUnchangedSince: entry, stamp)
    }

    /// Returns the stamp of an edit.
    private static func stamp(setting record: JSONText) throws -> @Sendable (SoupEntry) throws -> RecordBatch.Stamp {
        let members = try record.requiredMembers()
        if let own = members.map(\.name).first(where: EntryField.own.contains) {
            throw SoupError(
                .badMemberName, "\"\(own)\" is set by SoupKit, and an edit cannot set it",
                hint: "Set only fields of the record; SoupKit sets the flags.")
        }
        var names: Set<[UInt8]> = []
        let edits = RecordBatch.Stamp(
            members.filter { names.insert(Array($0.name.utf8)).inserted }.map { .init($0.name, $0.value) })
        return { entry in
            try RecordAttributes.check(members, editing: entry)
            return edits.merging(.locally(created: entry.isFlagged(EntryField.locallyCreated), updated: true))
                .setting(EntryField.locallyDeleted, entry.isFlagged(EntryField.locallyDeleted) ? .true : .false)
        }
    }

    /// Deletes a record: marks its entry as deleted, and the next sync up deletes it on the server, and then locally.
    ///
    /// - Throws: ``SoupError`` with `entryNotFound`.
    @discardableResult
    public func delete(_ id: Int64, in soup: SoupName) async throws -> SoupEntry {
        try await change(id, in: soup) { _ in
            RecordBatch.Stamp([.init(EntryField.local, .true), .init(EntryField.locallyDeleted, .true)])
        }
    }

    /// Removes the mark of ``delete(_:in:)``; other changes of the entry are still sent.
    ///
    /// - Throws: ``SoupError`` with `entryNotFound`.
    @discardableResult
    public func undelete(_ id: Int64, in soup: SoupName) async throws -> SoupEntry {
        try await change(id, in: soup) { entry in
            let isDirty = entry.isFlagged(EntryField.locallyCreated) || entry.isFlagged(EntryField.locallyUpdated)
            return RecordBatch.Stamp([
                .init(EntryField.local, isDirty ? .true : .false), .init(EntryField.locallyDeleted, .false),
            ])
        }
    }

    private func change(
        _ id: Int64, in soup: SoupName, ifUnchangedSince read: SoupEntry? = nil,
        _ stamp: @escaping @Sendable (SoupEntry) throws -> RecordBatch.Stamp
    ) async throws -> SoupEntry {
        try await write { writer in
            let entry = try read.map { try writer.unchanged($0, in: soup) } ?? writer.entry(id, of: soup)
            _ = try writer.stamp([EntryStamp(id: id, stamp: try stamp(entry))], in: soup)
            return try writer.entry(id, of: soup)
        }
    }
}

extension RecordBatch.Stamp {
    /// Returns the flags of an entry with local changes.
    static func locally(created: Bool = false, updated: Bool = false) -> RecordBatch.Stamp {
        RecordBatch.Stamp([
            .init(EntryField.local, .true), .init(EntryField.locallyCreated, created ? .true : .false),
            .init(EntryField.locallyUpdated, updated ? .true : .false), .init(EntryField.locallyDeleted, .false),
        ])
    }
}

extension SoupEntry {
    func isFlagged(_ flag: String) -> Bool { self[JSONPath(flag)]?.isSetFlag ?? false }
}

extension SoupError.Code {
    /// The entry was written since the caller read it.
    public static let entryChanged: Self = "entryChanged"
}
