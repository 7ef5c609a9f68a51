// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupSalesforce
internal import SoupCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A page of the list of a briefcase's content: IDs, by the names of their objects.
struct PrimingPage: Sendable {
    /// The IDs of each object in the order of the response, for all record types together, without duplicates.
    var ids: [(object: String, ids: [String])] = []
    /// The token of the next page of the list.
    var token: String?
    /// The rules of the briefcase that the server could not run.
    var failedRules: [String] = []
    /// The number of rules of the briefcase, if the server reports it.
    var ruleCount: Int?
    /// The number of records on the whole list, including objects without an info, if the server reports it.
    var recordCount: Int?
    /// The number of records on this page, including those of objects without an info.
    var listed = 0
    /// The server's time of the response.
    var serverTime: Date?

    /// - Throws: ``SoupError`` with `json` if the response is not such a page.
    init(_ answer: HTTPAnswer) throws {
        let json: JSONValue
        do {
            json = try JSONValue(parsing: answer.body)
        } catch {
            throw SoupError(.json, "the list of the briefcase is not JSON: \(error)", cause: error)
        }
        guard let objects = json["primingRecords"]?.objectValue else {
            throw SoupError(.json, "the list of the briefcase has no object at \"primingRecords\"")
        }
        for (object, types) in objects.members {
            guard let types = types.objectValue else {
                throw SoupError(.json, "the list of the briefcase has no record types for \(object)")
            }
            var seen: Set<String> = []
            var ids: [String] = []
            for (_, records) in types.members {
                for record in records.arrayValue ?? [] {
                    guard let id = record["id"]?.stringValue, !id.isEmpty else {
                        throw SoupError(.json, "the list of the briefcase has a record of \(object) without an ID")
                    }
                    listed += 1
                    if seen.insert(id).inserted { ids.append(id) }
                }
            }
            self.ids.append((object, ids))
        }
        token = json["relayToken"]?.stringValue.flatMap { $0.isEmpty ? nil : $0 }
        failedRules = (json["ruleErrors"]?.arrayValue ?? []).map { $0["ruleId"]?.stringValue ?? "without an ID" }
        ruleCount = json["stats"]?["ruleCountTotal"]?.intValue.flatMap { Int(exactly: $0) }
        recordCount = json["stats"]?["recordCountTotal"]?.intValue.flatMap { Int(exactly: $0) }
        serverTime = answer.serverTime
        let served = json["stats"]?["recordCountServed"]?.intValue.flatMap { Int(exactly: $0) }
        if let served, served != listed {
            throw SoupError.incomplete("a page of the list of the briefcase", expected: served, count: listed)
        }
    }

    /// Compares the number of records on all pages with the number that the server announced for the whole list.
    ///
    /// - Throws: ``SoupError``: `incompleteAnswer` if they differ, `json` if the server does not report the number.
    func check(listed: Int) throws {
        guard let recordCount else {
            throw SoupError(
                .json, "the list of the briefcase has no number of records at \"stats.recordCountTotal\"",
                hint: "Check the URL of the server. \(SoupError.changedResponsesHint)")
        }
        // The list does not contain the records of rules that the server could not run.
        guard failedRules.isEmpty, recordCount != listed else { return }
        throw SoupError.incomplete("the list of the briefcase", expected: recordCount, count: listed)
    }

    /// Returns the IDs of an object; the case of its name is ignored.
    func ids(of object: String) -> [String] {
        ids.filter { $0.object.lowercased() == object.lowercased() }.flatMap(\.ids)
    }
}

extension SalesforceClient {
    /// Fetches a page of the list of the content of the user's briefcase.
    ///
    /// - Parameters:
    ///   - token: the token from the previous page. The first request created the list, so that later pages need no
    ///     mark; servers reject a request with both.
    ///   - mark: excludes records that did not change since; for the first page.
    /// - Throws: ``SoupError``: `server`, `network`, `json`; `cursorExpired` for a token that the server rejects.
    func primingPage(token: String?, from mark: HighWaterMark? = nil) async throws -> PrimingPage {
        var path = "\(apiPath)/connect/briefcase/priming-records"
        if let token {
            path += "?relayToken=\(URLText.query(token))"
        } else if let mark {
            // The server excludes records that changed exactly at this time.
            let time = mark.inclusive ? mark.milliseconds - 1 : mark.milliseconds
            path += "?changedAfterTimestamp=\(URLText.query(DateText.format(time, zone: "Z")))"
        }
        let answer = try await send(.get, path)
        if token != nil, answer.status == 400 {
            throw SoupError(
                .cursorExpired, "the server no longer has the list of the briefcase with which the run began")
        }
        guard answer.isOK else { throw answer.salesforceFailure(of: "the list of the briefcase") }
        return try PrimingPage(answer)
    }
}
