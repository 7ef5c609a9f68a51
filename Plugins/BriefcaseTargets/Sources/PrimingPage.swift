// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SalesforceAPI
internal import SoupCore

/// A page of the list of what a briefcase holds: ids, under the names of their objects.
struct PrimingPage: Sendable {
    /// The ids of each object in the order of the answer, all record types together, each id once.
    var ids: [(object: String, ids: [String])] = []
    /// Leads to the next page of the list.
    var token: String?
    /// The rules of the briefcase that could not be run.
    var failedRules: [String] = []
    /// How many rules the briefcase has, when the server tells.
    var ruleCount: Int?
    /// How many records the whole list has, those of objects that nobody asked for included, when the server tells.
    var recordCount: Int?
    /// How many records this page lists, including those of objects that no info names.
    var listed = 0
    /// The server's time when it answered.
    var serverTime: Int64?

    /// - Throws: ``SoupError`` with `json` when the answer is no such page.
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
                        throw SoupError(.json, "the list of the briefcase has a record of \(object) without an id")
                    }
                    listed += 1
                    if seen.insert(id).inserted { ids.append(id) }
                }
            }
            self.ids.append((object, ids))
        }
        token = json["relayToken"]?.stringValue.flatMap { $0.isEmpty ? nil : $0 }
        failedRules = (json["ruleErrors"]?.arrayValue ?? []).map { $0["ruleId"]?.stringValue ?? "without an id" }
        ruleCount = json["stats"]?["ruleCountTotal"]?.intValue.flatMap { Int(exactly: $0) }
        recordCount = json["stats"]?["recordCountTotal"]?.intValue.flatMap { Int(exactly: $0) }
        serverTime = answer.serverTime
        let served = json["stats"]?["recordCountServed"]?.intValue.flatMap { Int(exactly: $0) }
        if let served, served != listed {
            throw SoupError.incomplete("a page of the list of the briefcase", expected: served, count: listed)
        }
    }

    /// Compares the records that all pages listed with the number that the server announced for the whole list.
    ///
    /// - Throws: ``SoupError``: `incompleteAnswer` when they differ, `json` when the server does not tell the number.
    func check(listed: Int) throws {
        guard let recordCount else {
            throw SoupError(
                .json, "the list of the briefcase has no number of records at \"stats.recordCountTotal\"",
                hint: "Check the URL of the server. \(SoupError.changedResponsesHint)")
        }
        // The list lacks the records of rules that could not be run.
        guard failedRules.isEmpty, recordCount != listed else { return }
        throw SoupError.incomplete("the list of the briefcase", expected: recordCount, count: listed)
    }

    /// The ids of an object; its name in any case of letters.
    func ids(of object: String) -> [String] {
        ids.filter { $0.object.lowercased() == object.lowercased() }.flatMap(\.ids)
    }
}

extension SyncContext {
    /// A page of the list of what the user's briefcase holds.
    ///
    /// - Parameters:
    ///   - token: of the page before. The list it leads on in was made by the first request, so that it needs no mark;
    ///     servers refuse the two together.
    ///   - mark: leaves out what did not change since; for the first page.
    /// - Throws: ``SoupError``: `server`, `network`, `json`; `cursorExpired` for a token that the server refuses.
    func primingPage(token: String?, from mark: HighWaterMark? = nil) async throws -> PrimingPage {
        var path = "\(apiPath)/connect/briefcase/priming-records"
        if let token {
            path += "?relayToken=\(URLText.query(token))"
        } else if let mark {
            // The server leaves out the very instant.
            let time = mark.inclusive ? mark.time - 1 : mark.time
            path += "?changedAfterTimestamp=\(URLText.query(Timestamp.format(time, zone: "Z")))"
        }
        let answer = try await send(.get, path)
        if token != nil, answer.status == 400 {
            throw SoupError(.cursorExpired, "the server no longer knows the list of the briefcase that was begun")
        }
        guard answer.isOK else { throw answer.salesforceFailure(of: "the list of the briefcase") }
        return try PrimingPage(answer)
    }
}
