// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
public import SoupCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension SOQLSyncDownTarget {
    /// The way in which the target finds records that were deleted on the server.
    public typealias DeleteMode = SoupCore.DeleteMode

    /// Fetches the records of the query's object that were deleted since a time, in one request.
    ///
    /// - Throws: ``SoupError``: `server`, `network`, `json`.
    /// - Returns: nil unless the key `deletes`, or without it the setting of the app, is `incremental`; an incomplete
    ///   report if the time is too long ago for the server, if there are too many deletions, and for objects whose
    ///   deletions it does not record.
    public func deletions(since time: Date?, level: Int, in context: SyncContext) async throws -> DeletionReport? {
        guard (deletes ?? context.deletes) == .incremental, idField.lowercased() == "id" else { return nil }
        guard let object else { return .incomplete }
        return try await SalesforceClient(context).deletions(of: object, since: time, lookback: lookback)
    }

    /// Returns the given IDs whose records the server still has; nil if the type is not the object of the query, or if
    /// the ID field is not `Id`.
    ///
    /// - Throws: ``SoupError``: `server`, `network`, `json`, `incompleteAnswer`.
    public func existing(
        _ ids: [String], type: String, level: Int, in context: SyncContext
    ) async throws -> Set<String>? {
        guard let object else { return nil }
        return try await SalesforceClient(context).existing(ids, type: type, of: object, idField: idField)
    }

    /// Fetches the IDs of all records of the object that changed since a time; nil for a query without conditions,
    /// which no record can leave.
    ///
    /// - Throws: ``SoupError``: `server`, `network`, `json`, `incompleteAnswer`.
    public func changedIds(
        since time: Date, level: Int, limit: Int, in context: SyncContext
    ) async throws -> ChangeReport? {
        guard query.hasConditions, let object else { return nil }
        return try await SalesforceClient(context).changedIds(
            of: object, RecordFieldNames(id: idField, modificationDate: modificationDateField), since: time,
            limit: limit)
    }
}
