// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore
import SoupTesting
import Synchronization

/// A server with a briefcase, which lists its IDs in pages and returns records by ID.
final class BriefcaseServer: Sendable {
    struct Record: Sendable {
        var type: String
        var id: String
        var time: Int64
    }

    struct State: Sendable {
        var records: [Record] = []
        /// The IDs of listed records that cannot be fetched.
        var hidden: Set<String> = []
        var failedRules: [String] = []
        var ruleCount = 1
        var pageSize = 1000
        /// The requests.
        var log: [String] = []
        /// The messages that the target logged.
        var messages: [String] = []
    }

    private let state: Mutex<State>

    init(_ records: [Record]) { state = Mutex(State(records: records)) }

    func with<T: Sendable>(_ change: (inout State) -> T) -> T { state.withLock { change(&$0) } }

    func requests() -> [String] { with { $0.log } }

    var transport: ScriptedTransport { ScriptedTransport { try self.answer($0) } }

    func answer(_ request: RecordedRequest) throws -> HTTPAnswer {
        request.pathWithoutQuery.hasSuffix("/priming-records") ? list(request) : retrieve(request)
    }

    private func list(_ request: RecordedRequest) -> HTTPAnswer {
        let token = request[parameter: "relayToken"]
        let since = request[parameter: "changedAfterTimestamp"]
        return with { state in
            state.log.append(
                "list" + (token.map { " token \($0)" } ?? "") + (since.map { " since \($0)" } ?? ""))
            guard token == nil || since == nil else { return HTTPAnswer(status: 400, "[]") }
            // The token contains the mark of the list, and the position in it.
            let levels = (token ?? "0/\(since.flatMap { DateText.milliseconds($0) } ?? -1)").split(separator: "/")
            guard levels.count == 2, let start = Int(levels[0]), let mark = Int64(levels[1]) else {
                return HTTPAnswer(status: 400, #"[{"errorCode":"INVALID_INPUT","message":"token"}]"#)
            }
            let records = state.records.filter { $0.time > mark }
            let shown = records.dropFirst(start).prefix(state.pageSize)
            var objects: [String] = []
            for type in shown.map(\.type).reduce(into: [String](), { if !$0.contains($1) { $0.append($1) } }) {
                let ids = shown.filter { $0.type == type }.map { record in
                    #"{"id":"\#(record.id)","systemModstamp":"\#(DateText.format(record.time, zone: "Z"))"}"#
                }
                objects.append(#""\#(type)":{"012000000000000AAA":[\#(ids.joined(separator: ","))]}"#)
            }
            let end = start + shown.count
            let next = end < records.count ? #""\#(end)/\#(mark)""# : "null"
            let failed = state.failedRules.map { #"{"ruleId":"\#($0)"}"# }.joined(separator: ",")
            return HTTPAnswer(
                #"""
                {"primingRecords":{\#(objects.joined(separator: ","))},"relayToken":\#(next),"ruleErrors":[\#(failed)],
                 "stats":{"ruleCountTotal":\#(state.ruleCount),"recordCountTotal":\#(records.count)}}
                """#)
        }
    }

    private func retrieve(_ request: RecordedRequest) -> HTTPAnswer {
        let type = request.pathWithoutQuery.split(separator: "/").last.map(String.init) ?? ""
        let ids = request.json?["ids"]?.arrayValue?.compactMap(\.stringValue) ?? []
        let fields = request.json?["fields"]?.arrayValue?.compactMap(\.stringValue) ?? []
        return with { state in
            state.log.append("\(type) \(ids.joined(separator: " ")) [\(fields.joined(separator: " "))]")
            let records = ids.map { id in
                guard !state.hidden.contains(id),
                    let record = state.records.first(where: { $0.id == id && $0.type == type })
                else { return "null" }
                let code = fields.contains("Code") ? #","Code":"c-\#(id)""# : ""
                return #"{"Id":"\#(id)"\#(code),"LastModifiedDate":"\#(DateText.format(record.time))"}"#
            }
            return HTTPAnswer("[\(records.joined(separator: ", "))]")
        }
    }
}
