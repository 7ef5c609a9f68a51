// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import SoupCore
import SoupTesting
import Testing

struct WeatherTarget: SyncDownTarget {
    struct Configuration: Decodable, Sendable { var station: String }
    static let name: PluginName = "weather"
    let station: String
    init(configuration: Configuration) { station = configuration.station }

    func page(after cursor: PageCursor?, in context: SyncContext) async throws -> RecordPage {
        var path = "/stations/\(URLText.segment(station))/readings?limit=100"
        // The server continues after the reading whose ID it returned as "next".
        if let cursor { path += "&after=\(URLText.query(cursor.rawValue))" }
        // After the first run, only the readings that changed since.
        if let mark = context.highWaterMark { path += "&since=\(URLText.query(DateText.format(mark.time)))" }
        let answer = try await context.send(.get, path)
        if answer.status == 410 { throw SoupError(.cursorExpired, "the server does not have that reading") }
        guard answer.isSuccess else { throw answer.failure(of: "GET", path) }
        return try RecordPage(answer, recordsAt: "readings", nextAt: "next")
    }
}

struct WeatherUpTarget: SyncUpTarget {
    struct Configuration: Decodable, Sendable { var station: String }
    static let name: PluginName = "weather"
    let station: String
    let maxBatchSize = 1  // One request per change, so that an error concerns only that change.
    init(configuration: Configuration) { station = configuration.station }

    func push(_ changes: [RecordChange], in context: SyncContext) async throws -> [PushOutcome] {
        var outcomes: [PushOutcome] = []
        for change in changes { outcomes.append(try await push(change, in: context)) }
        return outcomes
    }

    private func push(_ change: RecordChange, in context: SyncContext) async throws -> PushOutcome {
        let path = "/stations/\(URLText.segment(station))/readings"
        do {
            switch (change.kind, change.serverId.map(URLText.segment)) {
            case (.create, _):
                return try outcome(of: change, await context.send(.post, path, json: record(toSend: change)))
            case (.update, let id?):
                return try outcome(
                    of: change, await context.send(.patch, "\(path)/\(id)", json: record(toSend: change)))
            case (.delete, let id?):
                return try outcome(of: change, await context.send(.delete, "\(path)/\(id)"))
            // `.none` is an unchanged parent of changed children; only targets with a layout receive it.
            default: return .skipped
            }
        } catch let error as SoupError where error.delivery == .notSent {
            throw error
        } catch {
            return .unknown(PushFailure(code: "LOST_ANSWER", message: "\(error)"))
        }
    }

    // Only the server's own form counts. A gateway can respond with any status, even after the server made the change.
    private func outcome(of change: RecordChange, _ answer: HTTPAnswer) throws -> PushOutcome {
        if answer.status == 204, change.kind == .delete { return .ok() }
        let json = try answer.json()
        if answer.isSuccess {
            guard let id = json["Id"]?.idText, ServerId.isPossible(id), (change.serverId ?? id) == id else {
                throw SoupError(.json, "HTTP \(answer.status) without the reading's ID")
            }
            return .ok(serverId: id, modificationDate: json["LastModifiedDate"]?.stringValue)
        }
        guard answer.status >= 400, let code = json["code"]?.stringValue else {
            throw SoupError(.json, "HTTP \(answer.status) is not a response of the weather server")
        }
        return .failed(
            PushFailure(
                code: code, message: json["message"]?.stringValue ?? code, isGone: code == "READING_DELETED",
                retry: answer.status >= 500 ? .inLaterRun : .never))
    }
}

@Suite struct WeatherTests {
    @Test func `The down target keeps the rules`() async throws {
        try await SyncDownTargetSuite(
            WeatherTarget.self, configuration: #"{"station": "Oslo"}"#, badConfigurations: ["{}"]
        ) { request in
            switch request[parameter: "after"] {
            case nil:
                HTTPAnswer(#"{"readings": [{"Id": "r1", "LastModifiedDate": "2026-01-05T08:00:00Z"}], "next": "r1"}"#)
            case "r1": HTTPAnswer(#"{"readings": [{"Id": "r2", "LastModifiedDate": "2026-01-05T09:00:00Z"}]}"#)
            default: HTTPAnswer(status: 410, #"{"code": "NO_SUCH_READING"}"#)
            }
        }.check()
    }

    @Test func `The up target keeps the rules`() async throws {
        let record = try JSONText(#"{"Celsius": 7}"#)
        func change(_ kind: RecordChange.Kind) -> RecordChange {
            RecordChange(kind, soup: "readings", entryId: 1, serverId: kind == .create ? nil : "r1", record: record)
        }
        try await SyncUpTargetSuite(
            WeatherUpTarget.self, configuration: #"{"station": "Oslo"}"#, badConfigurations: ["{}"],
            batches: [[change(.create)], [change(.update)], [change(.delete)]],
            missingRecords: { _ in HTTPAnswer(status: 404, #"{"code": "READING_DELETED"}"#) }
        ) { request, refused in
            if !refused.isEmpty { return HTTPAnswer(status: 400, #"{"code": "TOO_COLD", "message": "too cold"}"#) }
            if request.method == .delete { return HTTPAnswer(status: 204) }
            return HTTPAnswer(#"{"Id": "r1", "LastModifiedDate": "2026-01-05T08:00:00.000Z"}"#)
        }.check()
    }
}

/// The targets and tests above are copies of the examples in the article, so that these pass.
@Suite struct SyncTargetArticleTests {
    @Test func `The examples of the article are in this file`() throws {
        let file = URL(filePath: #filePath)
        let source = try String(contentsOf: file, encoding: .utf8)
        let article = "../../../Sources/SoupTesting/SoupTesting.docc/Writing-a-sync-target.md"
        let page = try String(contentsOf: file.deletingLastPathComponent().appending(path: article), encoding: .utf8)
        let blocks = page.components(separatedBy: "```swift\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
        let examples = blocks.filter { $0.contains("\nstruct Weather") || $0.contains("\n@Suite ") }
        #expect(examples.count == 3)
        for example in examples {
            let code = example.drop { !$0.isNewline }.components(separatedBy: "\n\n").dropFirst()
            #expect(source.contains(code.joined(separator: "\n\n")), "\(example)")
        }
    }

    @Test func `Values from configurations and records are encoded`() async throws {
        let transport = ScriptedTransport([
            .answer(#"{"readings":[]}"#), .answer(status: 204),
        ])
        let context = SyncContext(transport: transport, clock: ManualClock(), soup: "readings")
        _ = try await WeatherTarget(configuration: .init(station: "a/b?c")).page(
            after: PageCursor("2&x=1"), in: context)
        let change = RecordChange(.delete, soup: "readings", entryId: 1, serverId: "..", record: try JSONText("{}"))
        _ = try await WeatherUpTarget(configuration: .init(station: "å")).push([change], in: context)
        #expect(
            transport.requests.map(\.pathAndQuery) == [
                "/stations/a%2Fb%3Fc/readings?limit=100&after=2%26x%3D1", "/stations/%C3%A5/readings/%2E%2E",
            ])
    }
}

/// The example of an up target with a server that checks the bodies.
@Suite struct WeatherBodyTests {
    /// A server that refuses members which only it sets.
    private static func answer(_ request: RecordedRequest, refuses: Bool) -> HTTPAnswer {
        if refuses { return HTTPAnswer(status: 400, #"{"code": "TOO_COLD", "message": "too cold"}"#) }
        if request.method == .delete { return HTTPAnswer(status: 204) }
        let known: Set = ["Celsius", "Note"]
        guard let names = request.json?.objectValue?.members.map(\.key), known.isSuperset(of: names) else {
            return HTTPAnswer(status: 422, #"{"code": "UNKNOWN_MEMBER", "message": "\(request.bodyText ?? "")"}"#)
        }
        return HTTPAnswer(#"{"Id": 17, "LastModifiedDate": "2026-01-05T08:00:00.000Z"}"#)
    }

    private func change(_ kind: RecordChange.Kind, base: String? = nil) throws -> RecordChange {
        RecordChange(
            kind, soup: "readings", entryId: 1, serverId: kind == .create ? nil : "17",
            record: try JSONText(
                #"{"Id": "\#(kind == .create ? "local_1" : "17")", "Celsius": 7, "LastModifiedDate": "2026-01-01T00:00:00Z"}"#
            ),
            base: try base.map { try JSONText($0) })
    }

    @Test func `The sample sends what the server accepts`() async throws {
        try await SyncUpTargetSuite(
            WeatherUpTarget.self, configuration: #"{"station": "Oslo"}"#, badConfigurations: ["{}"],
            batches: [[try change(.create)], [try change(.update)], [try change(.delete)]],
            missingRecords: { _ in HTTPAnswer(status: 404, #"{"code": "READING_DELETED"}"#) }
        ) { request, refused in
            Self.answer(request, refuses: !refused.isEmpty)
        }.check()
        let transport = ScriptedTransport { Self.answer($0, refuses: false) }
        let target = WeatherUpTarget(configuration: .init(station: "Oslo"))
        let context = SyncContext(transport: transport, soup: "readings")
        let bases = [nil, #"{"Id": "17", "Celsius": 3, "Note": "old", "LastModifiedDate": "2026-01-01T00:00:00Z"}"#]
        for base in bases {
            let outcomes = try await target.push([try change(.update, base: base)], in: context)
            #expect(outcomes.map(\.result) == [.ok])
            #expect(outcomes.map(\.serverId) == ["17"])
        }
        #expect(try await target.push([try change(.create)], in: context).map(\.serverId) == ["17"])
        let sent = transport.requests.map { $0.bodyText ?? "" }
        #expect(sent == [#"{"Celsius":7}"#, #"{"Celsius":7,"Note":null}"#, #"{"Celsius":7}"#])
    }
}
