// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
public import SoupCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension BriefcaseSyncDownTarget {
    /// Returns the given IDs whose records are in the briefcase; none for an object that is no longer in the
    /// briefcase.
    ///
    /// All pages of the list are read, with one in memory at a time.
    ///
    /// - Throws: ``SoupError`` with `server` also if the server could not run a rule of the briefcase: its records are
    ///   then not on the list, and would be removed as ghosts.
    public func survivors(of ids: [String], level: Int, in context: SyncContext) async throws -> Set<String>? {
        guard infos.indices.contains(level) else { return nil }
        guard !ids.isEmpty else { return [] }
        // An entry of the soup may belong to any info with that soup.
        let sharing = infos.filter { $0.soupName == infos[level].soupName }
        let matcher = SalesforceID.Matcher(ids, field: infos[level].idFieldName)
        var survivors: Set<String> = []
        var token: String?
        var tokens: Set<String> = []
        var listed = 0
        repeat {
            try Task.checkCancellation()
            let list = try await SalesforceClient(context).primingPage(token: token)
            guard list.failedRules.isEmpty else {
                throw SoupError(
                    .server,
                    "the ghosts of the briefcase cannot be determined, because the server could not run some rules: "
                        + list.failedRules.joined(separator: ", "),
                    hint: "Fix the rules in the setup of the org.")
            }
            for info in sharing {
                for value in try await names(of: list.ids(of: info.sobjectType), info, in: context) {
                    survivors.formUnion(matcher.matches(value))
                }
            }
            listed += list.listed
            token = list.token
            if token == nil { try list.check(listed: listed) }
            if let token, !tokens.insert(token).inserted {
                throw SoupError(.server, "the list of the briefcase leads back to an earlier page")
            }
        } while token != nil
        return survivors
    }

    /// Fetches the records of an info's object that were deleted since a time, in one request.
    ///
    /// Only a complete cleaning finds records that a rule of the briefcase no longer includes, because the list of the
    /// briefcase has no other way to look up records.
    ///
    /// - Throws: ``SoupError``: `server`, `network`, `json`.
    /// - Returns: nil unless the key `deletes`, or without it the setting of the app, is `incremental`.
    public func deletions(since time: Date?, level: Int, in context: SyncContext) async throws -> DeletionReport? {
        guard (deletes ?? context.deletes) == .incremental, infos.indices.contains(level),
            infos.allSatisfy(\.isIdentifiedById)
        else { return nil }
        return try await SalesforceClient(context).deletions(
            of: infos[level].sobjectType, since: time, lookback: lookback)
    }

    /// Returns the given IDs whose records the server still has; nil if the type is not the object of the info, or if
    /// the ID field is not `Id`.
    ///
    /// - Throws: ``SoupError``: `server`, `network`, `json`, `incompleteAnswer`.
    public func existing(
        _ ids: [String], type: String, level: Int, in context: SyncContext
    ) async throws -> Set<String>? {
        guard infos.indices.contains(level) else { return nil }
        let info = infos[level]
        return try await SalesforceClient(context).existing(
            ids, type: type, of: info.sobjectType, idField: info.idFieldName)
    }

    /// Returns whether a text can be a value of the ID field; a value of `Id` must have the form of an ID.
    public func isPossibleId(_ id: String, level: Int) -> Bool {
        infos.indices.contains(level) && SalesforceID.isPossible(id, in: infos[level].idFieldName)
    }

    /// Returns the values by which the soup identifies records: their IDs, or the values of another field, which are
    /// fetched from the server.
    private func names(
        of ids: [String], _ info: BriefcaseObjectInfo, in context: SyncContext
    ) async throws -> [String] {
        guard !info.isIdentifiedById, !ids.isEmpty else { return ids }
        let records = try await SalesforceClient(context).retrieve(
            ids, of: info.sobjectType, fields: [info.idFieldName])
        return try records.compactMap { record in
            guard let record else { return nil }
            guard let value = record[info.idFieldName] else {
                throw SoupError(
                    .json, "a record of \(info.sobjectType) in the server's response has no \"\(info.idFieldName)\"",
                    hint: SoupError.changedResponsesHint)
            }
            return value.idText
        }
    }
}
