// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The recycle bin: deleted records, which can be undeleted until they are purged or expire.
struct RecycleBin {
    let context: OrgContext

    /// The time in which a deleted record can be undeleted and is reported by `/deleted`, in milliseconds: 15 days.
    static let lifetime: Int64 = 15 * 86_400_000

    /// Deletes a record softly, with its dependent records.
    ///
    /// - Throws: as ``RecordDeletion/delete(_:of:)``.
    func delete(_ row: StoredRow, of object: OrgObject) throws {
        try RecordDeletion(context: context).delete(row, of: object)
    }

    /// Undeletes a record.
    ///
    /// - Throws: as ``RecordUndeletion/undelete(_:)``.
    func undelete(_ id: String) throws { try RecordUndeletion(context: context).undelete(id) }

    /// Removes a record permanently, with the records deleted with it; `/deleted` still reports them.
    ///
    /// - Throws: ``OrgError`` for an ID that no record has, and as ``delete(_:of:)`` for a record that is not deleted
    ///   yet.
    func purge(_ id: String) throws {
        guard let id = RecordID.normalized(id), let object = context.schema.object(ofId: id),
            let row = try context.rows.row(of: object, id: id)
        else { throw OrgError.missingTarget }
        try context.atomically {
            if !row.isDeleted(object) { try delete(row, of: object) }
            // A record that was deleted with another is detached from it; one that a seed deleted has no other.
            try run("UPDATE \(object.table) SET _deletedWith = ?1 WHERE \"Id\" = ?1", .text(id))
            for other in context.schema.objects {
                try run(RecycleBinSQL.note(other), .text(id))
                try run(RecycleBinSQL.remove(other), .text(id))
            }
            try run(RecycleBinSQL.forgetCleared, .text(id))
        }
        context.rowsWritten += 1
    }

    /// Removes the records permanently whose time in the recycle bin is over.
    func removeExpired() throws {
        let now = context.org.clock.now
        let ends = try context.org.binEnds ?? firstEnd()
        context.org.binEnds = ends
        guard ends <= now else { return }
        try context.atomically { try remove(deletedUpTo: now - Self.lifetime) }
        context.org.binEnds = try firstEnd()
    }

    /// Empties the recycle bin and forgets which records were deleted, as an administrator does: `/deleted` cannot
    /// report deletions before this time any more.
    func purgeAll() throws {
        try context.atomically {
            try remove(deletedUpTo: .max)
            try context.db.statement("DELETE FROM _gone").run()
        }
        context.org.counters.deletedSince = context.org.clock.now
    }

    private func remove(deletedUpTo time: Int64) throws {
        for object in context.schema.objects {
            try run(RecycleBinSQL.forgetExpiredReferences(object), .int(time))
        }
        for object in context.schema.objects {
            try run(RecycleBinSQL.noteExpired(object), .int(time))
            try run(RecycleBinSQL.removeExpired(object), .int(time))
        }
        // A minute more than the period that `/deleted` covers.
        try run("DELETE FROM _gone WHERE deleted < ?", .int(context.org.clock.now - Self.lifetime - 60_000))
    }

    private func run(_ sql: String, _ value: CellValue) throws { try context.db.statement(sql, [value]).run() }

    /// Returns when the first record expires, in milliseconds since 1970.
    private func firstEnd() throws -> Int64 {
        var first = Int64.max
        for object in context.schema.objects {
            let oldest = try context.db.statement(RecycleBinSQL.oldest(object))
                .first { $0.isNull(0) ? nil : $0.int(0) }
            if let oldest = oldest ?? nil { first = min(first, oldest + Self.lifetime) }
        }
        return first
    }
}

extension OrgCore {
    /// Records that records were deleted at a time.
    func noteBinned(at time: Int64) {
        if let ends = binEnds { binEnds = min(ends, time + RecycleBin.lifetime) }
    }
}
