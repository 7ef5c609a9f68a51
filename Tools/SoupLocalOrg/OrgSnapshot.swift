// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import SoupCore

/// The content of an org at some time: its rows in a database of their own, and the state that belongs to them.
struct OrgSnapshot {
    fileprivate var rows: DatabaseQueue
    fileprivate var definition: OrgDefinition
    fileprivate var schema: OrgSchema
    fileprivate var keys: [String: String]
    fileprivate var counters: OrgCore.Counters
    fileprivate var clock: OrgClock.Position
}

extension OrgCore {
    /// Saves a copy of the org's content; there must be no transaction.
    func takeSnapshot(_ db: Database) throws {
        let copy = try OrgDatabase.open(file: nil, memory: 8_192)
        try copy.inDatabase { try db.backup(to: $0) }
        snapshot = OrgSnapshot(
            rows: copy, definition: definition, schema: schema, keys: keys, counters: counters, clock: clock.position)
    }

    /// Restores the content from the copy, which is kept; there must be no transaction.
    ///
    /// - Throws: ``SoupError`` with `server` if there is no copy.
    func restoreSnapshot(_ db: Database) throws {
        guard let snapshot else {
            throw SoupError(.server, "the local org has no snapshot to restore", hint: "Take a snapshot first.")
        }
        let before = (definition, schema, keys, counters, clock.position, described)
        noteDescribed()
        definition = snapshot.definition
        schema = snapshot.schema
        keys = snapshot.keys
        counters = snapshot.counters
        clock.position = snapshot.clock
        noteDescribed()
        unsaved = Set(OrgStateFile.Part.allCases)
        db.clearSchemaCache()
        defer { db.clearSchemaCache() }
        do {
            // The state is saved into the copy first, so that the state file gets everything at once: the copy's rows
            // with the current tokens, which are not part of a snapshot.
            try snapshot.rows.inDatabase { copy in
                try copy.inTransaction {
                    try save(in: copy)
                    return .commit
                }
                try copy.backup(to: db)
            }
        } catch {
            (definition, schema, keys, counters, clock.position, described) = before
            unsaved = Set(OrgStateFile.Part.allCases)
            throw error
        }
        forgetWork()
    }
}
