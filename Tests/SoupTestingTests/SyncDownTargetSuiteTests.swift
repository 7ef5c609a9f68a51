// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupTesting
import Testing

/// What a target of these tests does wrong.
enum DownFault: String, CaseIterable {
    case none
    case acceptsEverything
    case neverEnds
    case forgetsItsCursor
    case losesTheLastRecord
    case hasNoIds
    case swallowsErrors
    case swallowsCancellation
    case takesNothingForAnAnswer
    case promisesOrder
    case tellsAWrongTotal
    case missesTheInstant
    case bringsBackGhosts
}

/// A target over a list of readings, with one fault to choose.
private struct ReadingsTarget: SyncDownTarget {
    struct Configuration: Decodable, Sendable {
        var station: String?
        var fault: String?
    }

    static let name: PluginName = "readings"
    let fault: DownFault
    var ordersByModificationDate: Bool { fault == .promisesOrder }

    init(configuration: Configuration) throws {
        fault = DownFault(rawValue: configuration.fault ?? "") ?? .none
        if configuration.station == nil, fault != .acceptsEverything {
            throw SoupError(.badConfiguration, "no station", place: Place(path: "station"))
        }
    }

    func page(after cursor: PageCursor?, in context: SyncContext) async throws -> Page {
        let number = Int(cursor?.rawValue ?? "") ?? 0
        do {
            let since = context.highWaterMark.map { "&since=\($0.time + (fault == .missesTheInstant ? 1 : 0))" } ?? ""
            let answer = try await context.get("/readings?page=\(number)\(since)")
            var page = try Page(answer, recordsAt: "readings", nextAt: "next")
            if fault == .neverEnds, page.next == nil { page.next = PageCursor("0") }
            if fault == .forgetsItsCursor, cursor != nil { page.next = PageCursor("\(number)") }
            if fault == .losesTheLastRecord, cursor == nil, context.clock.now.isMultiple(of: 2) {
                page.parts[0] = page.parts[0].filter { $0 > 0 }
            }
            if fault == .hasNoIds { page.parts = [RecordBatch(try [JSONText("{}")])] }
            if fault == .tellsAWrongTotal { page.totalSize = 99 }
            return page
        } catch let error as SoupError where fault == .swallowsErrors {
            _ = error
            return Page(.empty)
        } catch is CancellationError where fault == .swallowsCancellation {
            return Page(.empty)
        }
    }

    func survivors(of ids: [String], part: Int, in context: SyncContext) async throws -> Set<String>? {
        if fault == .bringsBackGhosts { return Set(ids) }
        do {
            let answer = try await context.get("/ids")
            guard case .array(let known)? = try? JSONValue(parsing: answer.body) else {
                throw SoupError(.json, "no list of ids")
            }
            return Set(ids).intersection(known.compactMap(\.stringValue))
        } catch let error as SoupError where fault == .takesNothingForAnAnswer {
            _ = error
            return []
        }
    }
}

@Suite struct SyncDownTargetSuiteTests {
    private func violations(_ fault: DownFault) async -> [String] {
        var suite = SyncDownTargetSuite(
            ReadingsTarget.self, configuration: #"{"station":"x","fault":"\#(fault.rawValue)"}"#,
            badConfigurations: [#"{"fault":"\#(fault.rawValue)"}"#],
            context: SyncContext(transport: ScriptedTransport([]), clock: TickingClock(), soup: "readings")
        ) { request in
            if request.pathWithoutQuery == "/ids" { return HTTPAnswer(#"["r0","r1","r2","r3"]"#) }
            let since = Int64(request[parameter: "since"] ?? "") ?? 0
            let rows = [3, 1, 2, 2].enumerated().map { (id: "r\($0)", time: Int64($1) * 1000) }.filter {
                $0.time >= since
            }
            let number = Int(request[parameter: "page"] ?? "") ?? 0
            let page = rows.dropFirst(number * 2).prefix(2).map {
                #"{"Id":"\#($0.id)","LastModifiedDate":"\#(Timestamp.format($0.time))"}"#
            }
            let next = rows.count > number * 2 + 2 ? "\(number + 1)" : "null"
            return HTTPAnswer(#"{"readings":[\#(page.joined(separator: ","))],"next":\#(next)}"#)
        }
        suite.maximumPages = 10
        return await suite.violations()
    }

    @Test func aGoodTargetPasses() async throws {
        #expect(await violations(.none) == [])
    }

    @Test(arguments: [
        (DownFault.acceptsEverything, "is accepted"), (.neverEnds, "there is no end"),
        (.forgetsItsCursor, "there is no end"), (.losesTheLastRecord, "brings other records than the first time"),
        (.hasNoIds, "has no text or number in its id field"), (.swallowsErrors, "it makes a page of 0"),
        (.swallowsCancellation, "it is cancelled while it waits and makes a page"),
        (.takesNothingForAnAnswer, "records would be deleted"), (.promisesOrder, "it promises to order by date"),
        (.tellsAWrongTotal, "the total size is told as 99"), (.missesTheInstant, "(inclusive) misses"),
        (.bringsBackGhosts, "an id that the server does not know survives"),
    ])
    func eachFaultIsFound(fault: DownFault, violation: String) async {
        let violations = await violations(fault)
        #expect(violations.contains { $0.contains(violation) }, "\(violations)")
    }

    @Test func checkThrowsAllViolationsAtOnce() async {
        let suite = SyncDownTargetSuite(ReadingsTarget.self, configuration: "{}") { _ in HTTPAnswer("{}") }
        let error = await #expect(throws: ConformanceError.self) { try await suite.check() }
        #expect(error?.description.hasPrefix("readings breaks 1 rule(s):\n- named \"readings\", it is refused") == true)
    }
}

/// A clock that is never twice at the same time.
private final class TickingClock: SoupClock {
    private let clock = ManualClock.advancing(from: 0)
    var now: Int64 {
        clock.advance(by: 1)
        return clock.now
    }
    func sleep(milliseconds: Int64) async throws { try await clock.sleep(milliseconds: milliseconds) }
}
