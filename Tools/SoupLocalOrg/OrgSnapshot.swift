// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import SoupCore

/// What an org held at some time: its rows in a database of their own, and what goes with them.
struct OrgSnapshot {
    fileprivate var rows: DatabaseQueue
    fileprivate var definition: OrgDefinition
    fileprivate var schema: OrgSchema
    fileprivate var keys: [String: String]
    fileprivate var counters: OrgCore.Counters
    fileprivate var clock: OrgClock.Position
}

extension OrgCore {
    /// Keeps a copy of everything in the org; there must be no transaction.
    func takeSnapshot(_ db: Database) throws {
        let copy = try OrgDatabase.open(file: nil, memory: 8_192)
        try copy.inDatabase { try db.backup(to: $0) }
        snapshot = OrgSnapshot(
            rows: copy, definition: definition, schema: schema, keys: keys, counters: counters, clock: clock.position)
    }

    /// Makes everything as it was in the copy, which stays; there must be no transaction.
    ///
    /// - Throws: ``SoupError`` with `server` when there is no copy.
    func restoreSnapshot(_ db: Database) throws {
        guard let snapshot else {
            throw SoupError(.server, "the local org has no snapshot to restore", hint: "Take one before.")
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
            // Saved into the copy, so that a state file is given everything at once: the copy's rows with the tokens
            // of today, which are no part of a snapshot.
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
