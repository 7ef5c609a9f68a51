// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import SoupBridge
internal import SoupCore

/// Calls of the JavaScript API over HTTP, and the same calls in this process.
struct BridgeSpeed: Suite {
    let name = "bridge"

    private static let smallCalls = 1000

    /// The seconds of the calls of one round.
    private struct Times {
        var upserts: [Double] = []
        var smallPages: [Double] = []
        var largePages: [Double] = []
    }

    func run(_ settings: Settings) async throws -> [Metric] {
        let program = try SoupProgram.path()
        let pages = ResponsePages(count: max(ResponsePages.pageSize, settings.records / 10), version: 0)
        let changed = ResponsePages(count: pages.count, version: 1)
        var (served, inProcess) = (Times(), Times())
        for round in 0..<settings.rounds {
            for turn in 0..<2 {
                try await Rounds.inTemporaryFolder { folder in
                    Rounds.progress(
                        "round \(round + 1) of \(settings.rounds): \(pages.count) entries, \(Self.smallCalls) queries")
                    if (round + turn).isMultiple(of: 2) {
                        let bridge = try await ServedBridge(program: program, folder: folder)
                        defer { bridge.process.stop() }
                        try await measure(settings, [pages, changed], adding: &served) { try await bridge.perform($0) }
                    } else {
                        let stores = try StoreFolderStores(configuration: URL(filePath: folder))
                        let bridge = JavaScriptBridge(stores)
                        try await measure(settings, [pages, changed], adding: &inProcess) { body in
                            let reply = try await bridge.perform(try BridgeCall(json: body), in: "benchmark")
                            return Array(reply.answer.json.bytes)
                        }
                        try await stores.close()
                    }
                }
            }
        }
        let rows = Double(pages.count + changed.count)
        return [
            Metric("\(name).calls_per_s", Double(Self.smallCalls) / Rounds.median(served.smallPages)),
            Metric("\(name).calls.vs_process", Rounds.ratio(of: inProcess.smallPages, to: served.smallPages)),
            Metric("\(name).upsert.rows_per_s", rows / Rounds.median(served.upserts)),
            Metric(
                "\(name).upsert.vs_process", Rounds.ratio(of: inProcess.upserts, to: served.upserts),
                goal: .atLeast(0.5)),
            Metric("\(name).pages.rows_per_s", Double(pages.count) / Rounds.median(served.largePages)),
            Metric(
                "\(name).pages.vs_process", Rounds.ratio(of: inProcess.largePages, to: served.largePages),
                goal: .atLeast(0.5)),
        ]
    }

    /// Upserts all pages, then reads pages of 25 and of 2,000.
    private func measure(
        _ settings: Settings, _ loads: [ResponsePages], adding times: inout Times,
        perform: ([UInt8]) async throws -> [UInt8]
    ) async throws {
        func call(_ action: String, _ arguments: String, expecting text: String) async throws {
            let answer = try await perform(Self.call(action, Array(arguments.utf8)))
            // The text is at the begin of each expected answer.
            guard String(decoding: answer.prefix(200), as: UTF8.self).contains(text) else {
                throw ContestantError("\(action): \(String(decoding: answer.prefix(300), as: UTF8.self))")
            }
        }
        try await call(
            "pgRegisterSoup",
            #"""
            {"soupName":"accounts","indexes":[{"path":"Id","type":"string"},{"path":"Industry","type":"string"},
             {"path":"AnnualRevenue","type":"floating"},{"path":"__local__","type":"string"}]}
            """#, expecting: #"{"ok":"accounts"}"#)
        let batches = loads.flatMap { pages in pages.bodies.map { Self.call("pgUpsertSoupEntries", Self.entries($0)) } }
        let upserting = try await Rounds.seconds(settings.clock) {
            for batch in batches {
                let answer = try await perform(batch)
                guard answer.starts(with: Array(#"{"ok":[{"#.utf8)) else {
                    throw ContestantError("an upsert failed: \(String(decoding: answer.prefix(300), as: UTF8.self))")
                }
            }
        }
        times.upserts.append(upserting)

        let small =
            #"{"queryType":"exact","indexPath":"Industry","matchKey":"Energy","order":"ascending","pageSize":25}"#
        times.smallPages.append(
            try await Rounds.seconds(settings.clock) {
                for _ in 0..<Self.smallCalls {
                    try await call(
                        "pgQuerySoup", #"{"soupName":"accounts","querySpec":\#(small)}"#, expecting: #""pageSize":25"#)
                }
            })
        let large = #"{"queryType":"range","indexPath":"Id","order":"ascending","pageSize":2000}"#
        times.largePages.append(
            try await Rounds.seconds(settings.clock) {
                for _ in loads[0].bodies {
                    try await call(
                        "pgQuerySoup", #"{"soupName":"accounts","querySpec":\#(large)}"#, expecting: #""pageSize":2000"#
                    )
                }
            })
    }

    /// Returns the body of a call of the store service.
    private static func call(_ action: String, _ arguments: [UInt8]) -> [UInt8] {
        let head = #"{"service":"com.salesforce.smartstore","action":"\#(action)","args":["pluginSDKVersion:14.0.0","#
        return Array(head.utf8) + arguments + Array("]}".utf8)
    }

    /// Returns the arguments of an upsert of the records in the body of a response.
    private static func entries(_ body: [UInt8]) -> [UInt8] {
        let list = body[(body.firstIndex(of: UInt8(ascii: "[")) ?? body.startIndex)..<(body.endIndex - 1)]
        return Array(#"{"soupName":"accounts","externalIdPath":"Id","entries":"#.utf8) + list + Array("}".utf8)
    }
}
