// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The import of the syncs of another store: the rows of its `syncs_soup`, with their IDs and high-water marks.
///
/// Entries name the sync that wrote them by its ID, so the IDs have to stay.
package enum SyncsImport {
    /// The soup that contains the syncs.
    package static var soup: SoupName { SyncsSoup.name }

    /// Registers the soup of the syncs, and removes the syncs that have never run.
    ///
    /// Opening a store creates the syncs of its configuration. The import replaces them, and the next open creates
    /// those that the import does not contain.
    ///
    /// - Throws: ``SoupError`` with `soupNotEmpty` if a sync of the store has run.
    package static func prepare(in writer: any StoreWriter, capabilities: Set<StoreCapability>) throws {
        try SyncsSoup.register(in: writer, capabilities: capabilities)
        for id in try requireUnusedSyncs(in: writer) { try SyncsSoup.delete(id, in: writer) }
    }

    /// Checks that no sync of the store has run.
    ///
    /// - Returns: the IDs of its syncs.
    /// - Throws: ``SoupError`` with `soupNotEmpty`.
    @discardableResult
    package static func requireUnusedSyncs(in reader: any StoreReader) throws -> [Int64] {
        guard try reader.soupExists(SyncsSoup.name) else { return [] }
        return try reader.allEntries(.all(SyncsSoup.name, pageSize: 1000)).map { entry in
            let row = try? SyncRow(entry)
            guard let state = row?.state, state.status == .new, state.times == SyncState.Times() else {
                let name = (row?.state.name).map { "\"\($0)\"" } ?? "\(entry.id)"
                throw SoupError(
                    .soupNotEmpty, "the store has already run its sync \(name)",
                    hint: "Import into a new store, before its first sync.")
            }
            return entry.id
        }
    }

    /// Returns the definition of a sync; nil for a row that cannot be read.
    package static func definition(in row: JSONText) -> SyncDefinition? {
        (try? SyncRow(SoupEntry(id: 1, version: 0, stored: row)))?.state.definition
    }

    /// Returns the row of a sync as the import stores it: STOPPED in place of RUNNING, because no run continues.
    ///
    /// - Parameter definition: the same definition in another form, whose target and options replace those of the row.
    package static func row(_ row: JSONText, as definition: SyncDefinition?) -> JSONText {
        var replaced: [String: JSONText] = [:]
        if row["status"]?.stringValue == SyncStatus.running.rawValue {
            replaced["status"] = .string(SyncStatus.stopped.rawValue)
        }
        if let definition {
            replaced["target"] = try? definition.target.json.jsonText()
            replaced["options"] = try? definition.options.json.jsonText()
        }
        guard !replaced.isEmpty else { return row }
        return .object((row.members ?? []).map { (name: $0.key, value: replaced[$0.key] ?? $0.value) })
    }

    /// Records the identities of soups, so that the next run of a sync continues from an imported mark.
    ///
    /// Without it, the engine would assume that a soup in memory has lost the entries up to the mark.
    package static func noteSoups(_ soups: [SoupName], in writer: any StoreWriter) throws {
        try SoupGenerations.note(soups, in: writer)
    }
}

extension SoupError.Code {
    /// A soup of the store, to which entries of another store are to be imported, already has entries.
    public static let soupNotEmpty: Self = "soupNotEmpty"
}
