// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HTTPTypes
internal import RESTTargets
internal import SoupCore
internal import SoupTesting

/// The targets `http`: a line with a method of the target and its configuration, and responses between lines `===`.
///
/// The methods throw the documented errors only, send requests only to the server of the configuration, and report
/// nothing as deleted, created or changed that no response reports in a form that the configuration allows.
struct HTTPTargetKind: FuzzKind {
    let name = "http"
    let words = [
        "down ", "survivors ", "states ", "create ", "update ", "delete ", "\n===\n200\n\n", "\n===\n404\n\n",
        "\nLink: <", ">; rel=\"next\"", ">; rel=next, <", "\nNext-Page: ", "\nETag: \"1\"", "\nLocation: /x/7",
        "https://a.example/x?p=2", "https://b.example/x", "?p=2", "//b.example/x", "\"paging\":", "\"link\"",
        "{\"type\":\"cursor\",\"next\":\"next\"}", "{\"header\":\"Next-Page\"}", "\"page\"", "\"offset\"", "\"keyset\"",
        "\"records\":", "\"items\"", "\"id\":", "\"id\":7", "\"id\":\"8\"", "\"deleted\":\"gone\"",
        "\"deletedIds\":\"gone\"", "\"gone\":[7]", "\"gone\":true", "\"total\":\"n\"", "\"n\":2",
        "\"delta\":{\"token\":\"t\"}", "\"t\":\"a\"", "\"survivors\":\"list\"",
        "\"survivors\":{\"type\":\"ids\",\"parameters\":{\"ids\":\"{ids}\"}}", "\"parameters\":{\"p\":\"{cursor}\"}",
        "\"gone\":{\"path\":\"code\"}", "\"code\":\"NONE\"", "\"error\":{\"message\":\"detail\"}", "\"detail\":\"no\"",
        "\"batch\":{\"results\":\"r\",\"status\":\"s\"}", "\"modified\":\"m\"", "\"m\":\"2026-01-01T00:00:00Z\"",
        "\"version\":\"v\"", "\"ifMatch\":true", "{}", "[]", "null", "<html></html>", "\"ok\"", "204", "302", "410",
    ]

    func check(_ input: [UInt8]) async throws -> String {
        guard let play = Play(input) else { return "no configuration" }
        let result: String
        do {
            result = try await run(play)
        } catch let error as Violation {
            throw error
        } catch let error as SoupError {
            try require(Self.codes.contains(error.code), "an error with an undocumented code: \(error)")
            result = outline("\(error.code)", error.message)
        }
        for request in play.transport.requests {
            let origin = [request.request.scheme, request.request.authority].compactMap { $0 }.joined(separator: "://")
            let server = play.url.lowercased().split(separator: "/", omittingEmptySubsequences: false).prefix(3)
            try require(
                origin.isEmpty || server.joined(separator: "/").prefix { $0 != "?" } == origin.lowercased(),
                "a request to another server: \(origin) \(request)")
            try require(request.pathAndQuery.hasPrefix("/"), "a request without a path: \(request)")
        }
        return "\(play.method) \(result)"
    }

    /// The codes that the methods document, and `badConfiguration` for the configuration itself.
    private static let codes: Set<SoupError.Code> = [
        .server, .network, .json, .incompleteAnswer, .cursorExpired, .badConfiguration,
    ]

    private func run(_ play: Play) async throws -> String {
        switch play.method {
        case "down": return try await down(play)
        case "survivors": return try await survivors(play)
        case "states": return try await states(play)
        default: return try await push(play)
        }
    }

    private func down(_ play: Play) async throws -> String {
        guard let target = try play.target(HTTPSyncDownTarget.self) else { return "refused configuration" }
        var cursor: PageCursor?
        var records = 0
        for _ in 0..<8 {
            let page = try await target.page(after: cursor, in: play.context)
            try require(play.lastAnswer?.isSuccess == true, "a page from a response without success")
            try require(page.levels.count == 1, "a target without levels returned \(page.levels.count)")
            records += page.levels[0].count
            for id in page.deletedIds.joined() {
                try require(play.configuration.contains("\"deleted"), "\(id) is reported as deleted")
                try require(ServerId.isPossible(id), "an impossible ID is reported as deleted: \(id)")
            }
            cursor = page.next
            if cursor == nil { return "\(min(records, 4)) records, \(page.deletedIds.count) deleted" }
            try require(page.syncToken == nil, "a page before the last one has a token")
        }
        return "more pages"
    }

    private func survivors(_ play: Play) async throws -> String {
        guard let target = try play.target(HTTPSyncDownTarget.self) else { return "refused configuration" }
        let ids: Set = ["7", "8"]
        guard let found = try await target.survivors(of: ids.sorted(), level: 0, in: play.context) else {
            return "no survivors"
        }
        try require(found.isSubset(of: ids), "other IDs than the given ones survive: \(found)")
        try require(found == ids || play.reportsMissing, "missing without a response that reports it: \(found)")
        return "\(found.count) survive"
    }

    private func states(_ play: Play) async throws -> String {
        guard let target = try play.target(HTTPSyncUpTarget.self) else { return "refused configuration" }
        let changes = try play.changes(.update)
        guard let states = try await target.serverStates(of: changes, in: play.context) else { return "no states" }
        try require(states.count == changes.count, "\(states.count) states of \(changes.count) changes")
        try require(!states.contains(.deleted) || play.reportsMissing, "deleted without a response that reports it")
        return "\(states.filter { $0 == .deleted }.count) deleted"
    }

    private func push(_ play: Play) async throws -> String {
        guard let kind = RecordChange.Kind(rawValue: play.method), kind != .none,
            let target = try play.target(HTTPSyncUpTarget.self)
        else { return "refused configuration" }
        let changes = try play.changes(kind)
        let outcomes = try await target.push(changes, in: play.context)
        try require(outcomes.count == changes.count, "\(outcomes.count) outcomes of \(changes.count) changes")
        var words: [String] = []
        for outcome in outcomes {
            switch outcome.result {
            case .ok:
                let isSent = !play.transport.requests.isEmpty
                try require(
                    !isSent || play.answers.contains { $0.isSuccess } || kind == .delete && play.reportsMissing,
                    "done without a response that reports it")
                if kind == .create {
                    try require(outcome.serverId.map(ServerId.isPossible) == true, "created without an ID")
                }
                words.append("ok")
            case .failed(let failure):
                try require(!failure.isGone || play.reportsMissing, "gone without a response that reports it")
                words.append(failure.isGone ? "gone" : "failed")
            case .conflict: words.append("conflict")
            case .unknown: words.append("unknown")
            case .skipped: words.append("skipped")
            case .notSent: words.append("not sent")
            }
        }
        return words.joined(separator: " ")
    }
}

/// The method, the configuration and the responses of an input.
private struct Play {
    let method: String
    let configuration: String
    let answers: [HTTPAnswer]
    let transport: ScriptedTransport

    init?(_ input: [UInt8]) {
        let parts = String(decoding: input, as: UTF8.self).components(separatedBy: "\n===\n")
        guard let space = parts[0].firstIndex(of: " ") else { return nil }
        method = String(parts[0][..<space])
        configuration = String(parts[0][parts[0].index(after: space)...])
        let answers = parts.dropFirst().map(Self.answer)
        self.answers = answers
        let rest = Replies(answers)
        transport = ScriptedTransport { _ in await rest.next() }
    }

    /// The URL in the configuration; empty if it has none.
    var url: String { (try? JSONText(configuration))?["url"]?.stringValue ?? "" }

    var context: SyncContext { SyncContext(transport: transport, clock: ManualClock.advancing(), soup: "x") }

    var lastAnswer: HTTPAnswer? {
        let position = transport.requests.count - 1
        return answers.indices.contains(position) ? answers[position] : nil
    }

    /// Whether a response can mean that a record is missing: one with a status of `gone`, or JSON that can be a list
    /// without the record, or a list of results.
    var reportsMissing: Bool {
        let gone = (try? JSONText(configuration))?["gone.statuses"]?.arrayValue?.compactMap {
            $0.intValue.map { Int($0) }
        }
        let isList = method == "survivors" || configuration.contains("\"batch\"")
        return answers.contains { answer in
            (gone ?? [404, 410]).contains(answer.status)
                || isList && answer.isSuccess && (try? JSONText(answer.body[...])) != nil
        }
    }

    /// Returns the target; nil if the configuration is refused with the documented errors.
    func target<Target: SyncPlugin>(_ type: Target.Type) throws -> Target? {
        guard let text = try? JSONText(configuration), let own = try? text.decode(Target.Configuration.self) else {
            return nil
        }
        do {
            return try Target(configuration: own)
        } catch let error as SoupError {
            try require(error.place?.path?.isEmpty == false, "an error of the configuration without a place: \(error)")
            return nil
        } catch let error as ConfigurationError {
            for problem in error.problems {
                try require(problem.place.path?.isEmpty == false, "a problem without a place: \(problem)")
            }
            return nil
        }
    }

    func changes(_ kind: RecordChange.Kind) throws -> [RecordChange] {
        try ["7", "8"].enumerated().map { index, id in
            let own = kind == .create ? "\"local_\(id)\"" : id
            return RecordChange(
                kind, soup: "x", entryId: Int64(index + 1), serverId: kind == .create ? nil : id,
                record: try JSONText(#"{"id": \#(own), "a": 1, "v": "1", "key": "k\#(id)"}"#))
        }
    }

    private static func answer(_ text: String) -> HTTPAnswer {
        let parts = text.components(separatedBy: "\n\n")
        var lines = parts[0].split(separator: "\n", omittingEmptySubsequences: false)
        let status = Int(lines.removeFirst()).map { min(max($0, 100), 599) } ?? 200
        var response = HTTPResponse(status: .init(code: status))
        for line in lines {
            let field = line.split(separator: ":", maxSplits: 1)
            guard field.count == 2, let name = HTTPField.Name(String(field[0])) else { continue }
            response.headerFields.append(
                HTTPField(name: name, value: String(field[1]).trimmingCharacters(in: .whitespaces)))
        }
        return HTTPAnswer(response, body: Array(parts.dropFirst().joined(separator: "\n\n").utf8))
    }
}

/// The responses that were not sent yet; after the last one, an error of the server.
private actor Replies {
    private var rest: ArraySlice<HTTPAnswer>

    init(_ answers: [HTTPAnswer]) { rest = answers[...] }

    func next() -> HTTPAnswer { rest.popFirst() ?? HTTPAnswer(status: 599, "") }
}
