// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SalesforceAPI
public import SoupCore

extension BriefcaseSyncDownTarget {
    /// Those of the ids whose records are in the briefcase; of an object that the briefcase no longer holds, none.
    ///
    /// All pages of the list are read, one held at a time.
    ///
    /// - Throws: ``SoupError`` with `server` also when a rule of the briefcase could not be run: its records are not on
    ///   the list then, and would be taken for gone.
    public func survivors(of ids: [String], part: Int, in context: SyncContext) async throws -> Set<String>? {
        guard infos.indices.contains(part) else { return nil }
        guard !ids.isEmpty else { return [] }
        // What lies in one soup was brought for any info of that soup.
        let sharing = infos.filter { $0.soupName == infos[part].soupName }
        let matcher = SalesforceID.Matcher(ids, field: infos[part].idFieldName)
        var survivors: Set<String> = []
        var token: String?
        var tokens: Set<String> = []
        var listed = 0
        repeat {
            try Task.checkCancellation()
            let list = try await context.primingPage(token: token)
            guard list.failedRules.isEmpty else {
                throw SoupError(
                    .server,
                    "the briefcase cannot tell what is gone: it could not run \(list.failedRules.joined(separator: ", "))",
                    hint: "Have the rules mended in the org's set-up.")
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
                throw SoupError(.server, "the list of the briefcase leads back to a page that came before")
            }
        } while token != nil
        return survivors
    }

    /// Whether a text has the form of an ID, if that is the field by which records of the info are known.
    public func isPossibleId(_ id: String, part: Int) -> Bool {
        infos.indices.contains(part) && SalesforceID.isPossible(id, in: infos[part].idFieldName)
    }

    /// What the soup knows records by: their ids, or the values of another field, which the server is asked for.
    private func names(
        of ids: [String], _ info: BriefcaseObjectInfo, in context: SyncContext
    ) async throws -> [String] {
        guard !info.isKnownById, !ids.isEmpty else { return ids }
        let records = try await context.retrieve(ids, of: info.sobjectType, fields: [info.idFieldName])
        return try records.compactMap { record in
            guard let record else { return nil }
            guard let value = record[info.idFieldName] else {
                throw SoupError(
                    .json, "a record of \(info.sobjectType) in the server's answer has no \"\(info.idFieldName)\"",
                    hint: SoupError.changedResponsesHint)
            }
            return value.idText
        }
    }
}
