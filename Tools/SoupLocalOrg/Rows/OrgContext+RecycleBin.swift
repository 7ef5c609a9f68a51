// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension OrgContext {
    /// Takes a record away for good, with what was deleted with it; `/deleted` still tells of them.
    ///
    /// - Throws: ``OrgError`` for an id that no record has, and as ``delete(_:_:)`` for one that is not deleted yet.
    func purge(_ id: String) throws {
        guard let id = RecordID.normalized(id), let object = schema.object(ofId: id), let row = try row(object, id)
        else { throw OrgError.missingTarget }
        try atomically {
            if !row.isDeleted(object) { try delete(object, row) }
            // One that went with another is taken from it, and one that a seed deleted went with none.
            try OrgStatement(
                db, "UPDATE \(object.table) SET _deletedWith = ?1 WHERE \"Id\" = ?1", [.text(id)]
            ).run()
            for other in schema.objects {
                try OrgStatement(db, RecycleBin.note(other), [.text(id)]).run()
                try OrgStatement(db, RecycleBin.end(other), [.text(id)]).run()
            }
            try OrgStatement(db, RecycleBin.forgetCleared, [.text(id)]).run()
        }
        rowsWritten += 1
    }

    /// Takes the records away for good whose time in the recycle bin is over.
    func emptyBin() throws {
        let now = org.clock.now
        let ends = try org.binEnds ?? firstEnd()
        org.binEnds = ends
        guard ends <= now else { return }
        try atomically { try endRecords(deletedUpTo: now - RecycleBin.lifetime) }
        org.binEnds = try firstEnd()
    }

    /// Empties the recycle bin, and forgets what was deleted, as an administrator does: `/deleted` cannot tell of the
    /// time before this any more.
    func purgeAll() throws {
        try atomically {
            try endRecords(deletedUpTo: .max)
            try OrgStatement(db, "DELETE FROM _gone").run()
        }
        org.counters.deletedSince = org.clock.now
    }

    private func endRecords(deletedUpTo time: Int64) throws {
        for object in schema.objects {
            try OrgStatement(db, RecycleBin.forgetExpiredReferences(object), [.int(time)]).run()
        }
        for object in schema.objects {
            try OrgStatement(db, RecycleBin.noteExpired(object), [.int(time)]).run()
            try OrgStatement(db, RecycleBin.endExpired(object), [.int(time)]).run()
        }
        // A minute more than `/deleted` can be asked for.
        try OrgStatement(
            db, "DELETE FROM _gone WHERE deleted < ?", [.int(org.clock.now - RecycleBin.lifetime - 60_000)]
        ).run()
    }

    /// When the first record leaves the bin, in milliseconds since 1970.
    private func firstEnd() throws -> Int64 {
        var first = Int64.max
        for object in schema.objects {
            let oldest = try OrgStatement(db, RecycleBin.oldest(object)).first { $0.isNull(0) ? nil : $0.int(0) }
            if let oldest = oldest ?? nil { first = min(first, oldest + RecycleBin.lifetime) }
        }
        return first
    }
}

extension OrgCore {
    /// Notes that records were deleted at a time.
    func noteBinned(at time: Int64) {
        if let ends = binEnds { binEnds = min(ends, time + RecycleBin.lifetime) }
    }
}
