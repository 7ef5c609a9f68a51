// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The statements of the recycle bin, which find deleted records by an index instead of scanning every row.
enum RecycleBinSQL {
    /// Selects the IDs of an object's records that were deleted with the record ?1.
    static func deletedWith(_ object: OrgObject) -> String {
        "SELECT \"Id\" FROM \(object.table) WHERE _deletedWith = ?1"
    }

    /// Records the deletion of an object's records that were deleted with the record ?1, before they are removed.
    static func note(_ object: OrgObject) -> String { note(object, "_deletedWith = ?1") }

    /// Removes an object's records that were deleted with the record ?1.
    static func remove(_ object: OrgObject) -> String { "DELETE FROM \(object.table) WHERE _deletedWith = ?1" }

    /// Records the deletion of an object's records that were deleted up to the time ?1.
    static func noteExpired(_ object: OrgObject) -> String { note(object, expired) }

    /// Removes an object's records that were deleted up to the time ?1.
    static func removeExpired(_ object: OrgObject) -> String { "DELETE FROM \(object.table) WHERE \(expired)" }

    /// Forgets the references that deletions of an object's records up to the time ?1 cleared.
    static func forgetExpiredReferences(_ object: OrgObject) -> String {
        "DELETE FROM _cleared WHERE deletedWith IN (SELECT \"Id\" FROM \(object.table) WHERE \(expired))"
    }

    /// Selects when the first of an object's records was deleted.
    static func oldest(_ object: OrgObject) -> String {
        "SELECT min(\"SystemModstamp\") FROM \(object.table) WHERE \"IsDeleted\" = 1"
    }

    /// Selects the references that the deletion of the record ?1 cleared.
    static let clearedReferences = "SELECT object, field, id, target FROM _cleared WHERE deletedWith = ?1"
    static let forgetCleared = "DELETE FROM _cleared WHERE deletedWith = ?1"

    /// Selects the IDs and times of an object's records that were deleted from ?1 on and before ?2, by ID; ?3 is the
    /// object's name.
    static func log(_ object: OrgObject) -> String {
        "SELECT \"Id\", \"SystemModstamp\" FROM \(object.table) "
            + "WHERE \"IsDeleted\" = 1 AND \"SystemModstamp\" >= ?1 AND \"SystemModstamp\" < ?2 "
            + "UNION ALL SELECT id, deleted FROM _gone WHERE object = ?3 AND deleted >= ?1 AND deleted < ?2 ORDER BY 1"
    }

    private static let expired = "\"IsDeleted\" = 1 AND \"SystemModstamp\" <= ?1"

    private static func note(_ object: OrgObject, _ condition: String) -> String {
        "INSERT OR REPLACE INTO _gone (id, object, deleted) "
            + "SELECT \"Id\", '\(object.name)', \"SystemModstamp\" FROM \(object.table) WHERE \(condition)"
    }
}
