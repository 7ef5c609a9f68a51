// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

extension SmartStore {
    /// Writes records: each replaces the entry that it matches, or creates a new one.
    ///
    /// - Parameter externalIdPath: an indexed path whose value identifies the entry; nil means `_soupEntryId`.
    /// - Returns: the entries as they are stored now, in the order of the records.
    /// - Throws: ``SoupError`` with the record's position; then no record is written.
    @discardableResult
    public func upsert(
        _ records: [JSONText], into soup: SoupName, externalIdPath: JSONPath? = nil
    ) async throws -> [SoupEntry] {
        let batch = RecordBatch(records)
        return try await write { writer in
            let results = try writer.upsert(
                batch, into: soup, matching: externalIdPath.map { .path($0) } ?? .entryId)
            return try writer.entries(results.map(\.id), of: soup)
        }
    }

    /// Writes one record.
    ///
    /// - Returns: the entry as it is stored now.
    /// - Throws: ``SoupError``: `json` for a value that is not an object, is nested too deep or contains NaN; the
    ///   errors of the form that takes JSON text.
    @discardableResult
    public func upsert(
        _ record: JSONValue, into soup: SoupName, externalIdPath: JSONPath? = nil
    ) async throws -> SoupEntry {
        if case .array = record {
            throw SoupError(
                .json, "expected one record, found a list",
                hint: "Write several records with upsert(_:into:externalIdPath:) of [JSONText], or of Encodable values."
            )
        }
        let batch = RecordBatch([try JSONText(written: record)])
        return try await write { writer in
            let results = try writer.upsert(batch, into: soup, matching: externalIdPath.map { .path($0) } ?? .entryId)
            return try writer.entry(results.first?.id ?? 0, of: soup)
        }
    }

    /// Writes values of the app's own types; each must encode as a JSON object.
    ///
    /// - Throws: `EncodingError`, or the errors of the form that takes JSON text.
    @discardableResult
    public func upsert<T: Encodable>(
        encoding values: [T], into soup: SoupName, externalIdPath: JSONPath? = nil
    ) async throws -> [SoupEntry] {
        try await upsert(values.map { try JSONText(encoding: $0) }, into: soup, externalIdPath: externalIdPath)
    }

    /// Writes an entry that was read before, if it was not written since.
    ///
    /// A pending change stays pending: the local flags of the entry, and its other system fields, stay if `record` does
    /// not contain them. A clean entry stays clean, so that the new record is not sent. For a change that is sent, use
    /// `edit(_:setting:in:)` with the entry.
    ///
    /// - Parameters:
    ///   - entry: the entry as it was read; its ID and the time of its last write are compared.
    ///   - record: the new contents of the entry.
    /// - Returns: the entry as it is stored now.
    /// - Throws: ``SoupError``: `entryChanged` if the entry was written since, `entryNotFound` if it no longer exists;
    ///   then nothing is written.
    @discardableResult
    public func replace(_ entry: SoupEntry, with record: JSONValue, in soup: SoupName) async throws -> SoupEntry {
        try await replace(entry, with: try JSONText(written: record), in: soup)
    }

    /// Writes an entry that was read before, if it was not written since, with its values exactly as written.
    ///
    /// Otherwise it is the same as the form that takes a value.
    ///
    /// - Throws: ``SoupError``: `json` for a text that is not an object; the errors of the form that takes a value.
    @discardableResult
    public func replace(_ entry: SoupEntry, with record: JSONText, in soup: SoupName) async throws -> SoupEntry {
        let members = try record.requiredMembers()
        return try await write { writer in
            let present = try writer.unchanged(entry, in: soup).stored.members ?? []
            var members = members.filter { $0.name != EntryField.entryId }
            for name in EntryField.localFlags + [EntryField.syncId, EntryField.lastError]
            where !members.contains(where: { $0.name == name }) {
                if let kept = present.first(where: { $0.key == name }) { members.append((name, kept.value)) }
            }
            members.append((EntryField.entryId, .integer(entry.id)))
            try writer.upsert(RecordBatch([JSONText.object(members)]), into: soup)
            return try writer.entry(entry.id, of: soup)
        }
    }

    /// Returns the entries with these IDs, in ascending order; unknown IDs are left out.
    ///
    /// - Throws: ``SoupError`` with `entryDamaged` for an entry whose stored text is not a JSON object. No entry is
    ///   returned then; see ``retrieveUnchecked(_:from:)``.
    public func retrieve(_ ids: [Int64], from soup: SoupName) async throws -> [SoupEntry] {
        let entries = try await retrieveUnchecked(ids, from: soup)
        if let damage = entries.lazy.compactMap({ $0.damage(in: soup) }).first { throw damage }
        return entries
    }

    /// Returns the entries with these IDs as they are stored, including damaged ones.
    ///
    /// `damage(in:)` reports whether an entry can be read. The `stored.bytes` of a damaged entry are its raw bytes; do
    /// not use its other properties.
    public func retrieveUnchecked(_ ids: [Int64], from soup: SoupName) async throws -> [SoupEntry] {
        try await backend.quickRead { try $0.retrieve(ids, from: soup) }
    }

    /// Returns the ID of the only entry with a value at an indexed path; nil for none.
    ///
    /// - Throws: ``SoupError`` with `indexNotDefined` or `notUnique`.
    public func lookup(_ value: JSONValue, at path: JSONPath, in soup: SoupName) async throws -> Int64? {
        try await backend.quickRead { try $0.lookup(value, at: path, in: soup) }
    }

    /// Removes entries from the device; a sync does not send the removal, unlike that of ``delete(_:in:)``.
    ///
    /// Unknown IDs are ignored.
    ///
    /// - Returns: the IDs that were removed.
    @discardableResult
    public func remove(_ ids: [Int64], from soup: SoupName) async throws -> [Int64] {
        try await write { try $0.remove(ids, from: soup) }
    }

    /// Removes the entries that a query finds, at most one page of them, as the mobile SDKs do.
    ///
    /// The page size is that of the spec, by default 10 entries. To remove all entries that the query finds, use a page
    /// size that includes them, or call this method until it returns 0.
    ///
    /// - Returns: the number of removed entries.
    @discardableResult
    public func remove(matching spec: QuerySpec, from soup: SoupName) async throws -> Int {
        try await write { try $0.remove(matching: spec, from: soup) }
    }
}

extension StoreReader {
    /// Returns the existing entries with these IDs, in the requested order, with repetitions.
    func entries(_ ids: [Int64], of soup: SoupName) throws -> [SoupEntry] {
        let entries = Dictionary(try retrieve(ids, from: soup).map { ($0.id, $0) }) { first, _ in first }
        return ids.compactMap { entries[$0] }
    }

    /// Returns the current version of an entry that was read before.
    ///
    /// - Throws: ``SoupError``: `entryChanged` if it was written since, `entryNotFound` if it no longer exists.
    func unchanged(_ entry: SoupEntry, in soup: SoupName) throws -> SoupEntry {
        let present = try self.entry(entry.id, of: soup)
        guard present.version == entry.version else {
            throw SoupError(
                .entryChanged, "entry \(entry.id) of soup \"\(soup)\" was written since it was read",
                hint: "Read the entry again, and apply the change to its new version.")
        }
        return present
    }
}

extension JSONText {
    /// Creates the JSON text of a value from the app.
    ///
    /// - Throws: ``SoupError`` with `json`.
    init(written value: JSONValue) throws {
        do {
            self = try JSONText(value)
        } catch {
            throw SoupError(.json, "the value cannot be written as JSON: \(error.reason.rawValue)", cause: error)
        }
    }

    /// Returns the members of an object from the app.
    ///
    /// - Throws: ``SoupError`` with `json` for any other value, and for bytes that are not JSON.
    func requiredMembers() throws -> [(name: String, value: JSONText)] {
        do {
            guard let members = try JSONText(bytes).members else {
                throw SoupError(
                    .json, "an entry must be a JSON object", hint: "Pass an object with the members of the entry.")
            }
            return members.map { (name: $0.key, value: $0.value) }
        } catch let error as JSONError {
            throw SoupError(.json, "the value cannot be written as JSON: \(error.reason.rawValue)", cause: error)
        }
    }
}
