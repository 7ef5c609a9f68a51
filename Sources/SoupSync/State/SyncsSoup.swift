// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The soup that contains the syncs.
enum SyncsSoup {
    static let name: SoupName = "syncs_soup"

    /// Registers the soup; an existing one is unchanged.
    static func register(in writer: any StoreWriter, capabilities: Set<StoreCapability>) throws {
        try writer.registerSoup(name, specs(capabilities))
    }

    private static func specs(_ capabilities: Set<StoreCapability>) -> [IndexSpec] {
        let kind: IndexSpec.Kind = capabilities.contains(.json1) ? .json1 : .string
        return ["type", "name", "status"].map { IndexSpec(JSONPath($0), kind) }
    }

    /// Returns the index specs that an existing soup should have; `nil` if no index is missing.
    ///
    /// Indexes that the app added are kept.
    static func missingSpecs(
        of own: [IndexSpec], capabilities: Set<StoreCapability>
    ) -> [IndexSpec]? {
        let paths = Set(own.map(\.path))
        let missing = specs(capabilities).filter { !paths.contains($0.path) }
        return missing.isEmpty ? nil : own + missing
    }

    /// Returns all rows, in the order of creation; `unreadable` is called for each row that cannot be read.
    static func rows(
        in reader: any StoreReader, unreadable: (Int64, any Error) -> Void = { _, _ in }
    ) throws -> [SyncRow] {
        try reader.allEntries(.all(name, pageSize: 1000)).sorted { $0.id < $1.id }.compactMap { entry in
            do {
                return try SyncRow(entry)
            } catch {
                unreadable(entry.id, error)
                return nil
            }
        }
    }

    /// Returns the row with an ID.
    ///
    /// - Throws: ``SoupError`` if the row is unreadable.
    static func row(_ id: Int64, in reader: any StoreReader) throws -> SyncRow? {
        try reader.retrieve([id], from: name).first.map { try SyncRow($0) }
    }

    /// Returns the modification date of a row; `nil` if there is none.
    static func modificationDate(of id: Int64, in reader: any StoreReader) throws -> Int64? {
        try reader.retrieve([id], from: name).first?.version
    }

    /// Returns the row with an ID.
    ///
    /// - Throws: ``SoupError``: `syncNotFound`, which lists the existing syncs; the error of an unreadable row.
    static func requireRow(_ id: Int64, in reader: any StoreReader) throws -> SyncRow {
        guard let row = try row(id, in: reader) else { throw try notFound(id, in: reader) }
        return row
    }

    /// Returns the ID of the sync with a name.
    ///
    /// - Throws: ``SoupError`` with `syncNotFound`, which lists the existing syncs.
    static func requireId(of syncName: String, in reader: any StoreReader) throws -> Int64 {
        if let id = try id(of: syncName, in: reader) { return id }
        let names = try rows(in: reader).compactMap(\.state.name).sorted()
        throw SoupError(
            .syncNotFound, "there is no sync named \"\(syncName)\"",
            hint: names.isEmpty ? noSyncHint : NameDistance.question(for: syncName, among: names))
    }

    private static func notFound(_ id: Int64, in reader: any StoreReader) throws -> SoupError {
        let known = try rows(in: reader).map { row in
            row.state.name.map { "\(row.state.id) (\"\($0)\")" } ?? "\(row.state.id)"
        }
        return SoupError(
            .syncNotFound, "there is no sync with the ID \(id)",
            hint: known.isEmpty ? noSyncHint : NameDistance.list(of: known))
    }

    private static let noSyncHint = "Add a sync to usersyncs.json, or create one with create(_:)."

    /// Returns the ID of the sync with a name; `nil` if there is none.
    static func id(of syncName: String, in reader: any StoreReader) throws -> Int64? {
        do {
            return try reader.lookup(.string(syncName), at: "name", in: name)
        } catch let error as SoupError where error.code == .indexNotDefined {
            // This is a store of the mobile SDKs that has no index on the name.
            return try reader.allEntries(.all(name, pageSize: 1000)).first {
                $0["name"]?.stringValue == syncName
            }?.id
        }
    }

    /// Inserts a row.
    ///
    /// - Throws: ``SoupError`` with `syncNameTaken`.
    /// - Returns: the row with its ID.
    static func insert(_ row: SyncRow, into writer: any StoreWriter) throws -> SyncRow {
        if let syncName = row.state.name, try id(of: syncName, in: writer) != nil {
            throw SoupError(
                .syncNameTaken, "there is already a sync named \"\(syncName)\"",
                hint: "Delete it first, or choose another name.")
        }
        let batch = RecordBatch([try row.json.jsonText()])
        guard let result = try writer.upsert(batch, into: name, matching: .entryId).first else { return row }
        var created = row
        created.state.id = result.id
        return created
    }

    /// Replaces a row.
    ///
    /// - Throws: ``SoupError`` with `syncNotFound` if the old row does not exist.
    /// - Returns: the new row with the ID of the old one.
    static func replace(_ id: Int64, by row: SyncRow, in writer: any StoreWriter) throws -> SyncRow {
        guard try writer.retrieve([id], from: name).first != nil else { throw try notFound(id, in: writer) }
        var json = row.json
        json[EntryField.entryId] = .int(id)
        _ = try writer.upsert(RecordBatch([try json.jsonText()]), into: name, matching: .entryId)
        var replaced = row
        replaced.state.id = id
        return replaced
    }

    /// Deletes a row and the ownership notes of its sync; the entries are kept.
    static func delete(_ id: Int64, in writer: any StoreWriter) throws {
        try writer.remove([id], from: name)
        try EntryOwners.remove(id, in: writer)
    }

    /// Saves the period whose deletions have been applied, and the entries that were kept.
    static func save(
        deletionsCovered: CoveredDeletions?, held: [HeldDeletion], of id: Int64, in writer: any StoreWriter
    ) throws {
        let stamp = deletionsCovered.setting(
            RecordBatch.Stamp().setting("deletionsHeld", HeldDeletion.text(of: held)))
        _ = try writer.stamp([EntryStamp(id: id, stamp: stamp)], in: name)
    }

    /// Lets unfinished syncs begin their queries again.
    ///
    /// If the server keeps the result of a query while its pages are read, later pages contain the records as they were
    /// before a push.
    static func removeResumePoints(of ids: Set<Int64>, in writer: any StoreWriter) throws {
        guard !ids.isEmpty else { return }
        let unfinished = try writer.retrieve(ids.sorted(), from: name).filter { $0["resume"] != nil }
        let stamp = RecordBatch.Stamp().setting("resume", nil)
        _ = try writer.stamp(unfinished.map { EntryStamp(id: $0.id, stamp: stamp) }, in: name)
    }

    /// Saves the members that change while a sync runs; a row that was deleted during the run is not restored.
    static func save(_ row: SyncRow, in writer: any StoreWriter) throws {
        if row.isOver {
            try delete(row.state.id, in: writer)
        } else {
            _ = try writer.stamp([EntryStamp(id: row.state.id, stamp: row.stamp)], in: name)
        }
    }
}

extension StoreReader {
    /// Returns the entries on all pages of a query.
    func allEntries(_ spec: QuerySpec) throws -> [SoupEntry] {
        var entries: [SoupEntry] = []
        try walk(spec) { page in
            entries += page.entries
            return true
        }
        return entries
    }
}
