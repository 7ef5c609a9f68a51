// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
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
    case endsOnErrors
    case asksElsewhere
    case cannotBeReadAsDates
    case announcesAnotherPage
    case believesAnyCount
    case takesNotFoundForGone
    case takesMissingRecordsForGone
    case takesRecordsWithoutIdsForGone
    case sendsImpossibleIds
    case findsItsOwnIdsImpossible
    case leavesADateOut
    case removesADate
    case stampsDates
    case takesAnErrorForNoDeletions
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
    var modificationDateField: String {
        [.cannotBeReadAsDates, .stampsDates].contains(fault) ? "Changed" : "LastModifiedDate"
    }

    init(configuration: Configuration) throws {
        fault = DownFault(rawValue: configuration.fault ?? "") ?? .none
        if configuration.station == nil, fault != .acceptsEverything {
            throw SoupError(.badConfiguration, "no station", place: Place(path: "station"))
        }
    }

    func page(after cursor: PageCursor?, in context: SyncContext) async throws -> Page {
        let number = Int(cursor?.rawValue ?? "") ?? 0
        if fault == .asksElsewhere { return Page(RecordBatch(try [JSONText(#"{"Id":"x"}"#)])) }
        do {
            let since = context.highWaterMark.map { "&since=\($0.time + (fault == .missesTheInstant ? 1 : 0))" } ?? ""
            let answer = try await context.get("/readings?page=\(number)\(since)")
            var page = try Page(
                answer, recordsAt: "readings", nextAt: "next", totalAt: "total",
                totalIsExact: fault != .believesAnyCount)
            if fault == .neverEnds, page.next == nil { page.next = PageCursor("0") }
            if fault == .forgetsItsCursor, cursor != nil { page.next = PageCursor("\(number)") }
            if fault == .losesTheLastRecord, cursor == nil, context.clock.now.isMultiple(of: 2) {
                page.parts[0] = page.parts[0].filter { $0 > 0 }
            }
            if fault == .hasNoIds { page.parts = [RecordBatch(try [JSONText("{}")])] }
            if fault == .tellsAWrongTotal { page.totalSize = 99 }
            // The suite also sends pages without records, and with fewer than the server announces.
            if fault == .leavesADateOut, cursor == nil, !page.parts[0].isEmpty {
                let others = (1..<page.parts[0].count).map { page.parts[0][$0] }
                page.parts[0] = RecordBatch([try JSONText(#"{"Id":"r0"}"#)] + others)
            }
            if fault == .removesADate {
                page.parts[0] = page.parts[0].stamping([0: Stamp.none.setting("LastModifiedDate", nil)])
            }
            if fault == .stampsDates {
                let stamps = (0..<page.parts[0].count).map { index in
                    (index, Stamp.none.setting("Changed", page.parts[0].date(at: index)))
                }
                page.parts[0] = page.parts[0].stamping(Dictionary(uniqueKeysWithValues: stamps))
            }
            if let next = page.next { context.announceNext(fault == .announcesAnotherPage ? PageCursor("9") : next) }
            return page
        } catch let error as SoupError where fault == .swallowsErrors || fault == .endsOnErrors && cursor != nil {
            _ = error
            return Page(.empty)
        } catch is CancellationError where fault == .swallowsCancellation {
            return Page(.empty)
        }
    }

    func survivors(of ids: [String], part: Int, in context: SyncContext) async throws -> Set<String>? {
        if fault == .bringsBackGhosts { return Set(ids) }
        do {
            let asked = URLText.query(ids.joined(separator: ","))
            let answer = try await context.send(.get, "/ids?of=\(asked)")
            if fault == .takesNotFoundForGone, answer.status == 404 { return [] }
            guard answer.isSuccess else { throw answer.failure(of: "GET", "/ids") }
            let json = try answer.json().value
            guard let total = json["total"]?.intValue, let known = json["ids"]?.arrayValue else {
                throw SoupError(.json, "no list of ids")
            }
            guard Int(total) == known.count || fault == .takesMissingRecordsForGone else {
                throw SoupError.incomplete("the list of ids", expected: Int(total), count: known.count)
            }
            let found = known.compactMap { $0["Id"]?.stringValue }
            guard found.count == known.count || fault == .takesRecordsWithoutIdsForGone else {
                throw SoupError(.json, "a record has no id")
            }
            return Set(ids).intersection(found)
        } catch let error as SoupError where fault == .takesNothingForAnAnswer {
            _ = error
            return []
        }
    }

    func isPossibleId(_ id: String, part: Int) -> Bool {
        if fault == .findsItsOwnIdsImpossible { return id != "r0" }
        return fault == .sendsImpossibleIds || !id.unicodeScalars.contains { $0.value < 0x20 }
    }

    var tracksDeletions: Bool { fault == .takesAnErrorForNoDeletions }

    func deletions(since time: Int64, part: Int, in context: SyncContext) async throws -> RecordDeletions? {
        _ = try? await context.get("/deleted")
        return RecordDeletions(ids: [], coveredUntil: time)
    }
}

extension RecordBatch {
    /// The date in the bytes of a record.
    fileprivate func date(at index: Int) -> JSONText? {
        self[index].value["LastModifiedDate"]?.stringValue.map { .string($0) }
    }
}

@Suite struct SyncDownTargetSuiteTests {
    /// - Parameters:
    ///   - times: the modification dates of the server's readings, in seconds.
    ///   - pageSize: how many readings the server gives at once.
    private func suite(
        _ fault: DownFault, times: [Int64] = [3, 1, 2, 2], pageSize: Int = 2
    ) -> SyncDownTargetSuite<ReadingsTarget> {
        var suite = SyncDownTargetSuite(
            ReadingsTarget.self, configuration: #"{"station":"x","fault":"\#(fault.rawValue)"}"#,
            badConfigurations: [#"{"fault":"\#(fault.rawValue)"}"#],
            context: SyncContext(transport: ScriptedTransport([]), clock: TickingClock(), soup: "readings")
        ) { request in
            if request.pathWithoutQuery == "/ids" {
                return HTTPAnswer(#"{"total":4,"ids":[{"Id":"r0"},{"Id":"r1"},{"Id":"r2"},{"Id":"r3"}]}"#)
            }
            if request.pathWithoutQuery == "/deleted" { return HTTPAnswer(#"{"ids":[]}"#) }
            let since = Int64(request[parameter: "since"] ?? "") ?? 0
            let rows = times.enumerated().map { (id: "r\($0)", time: Int64($1) * 1000) }.filter { $0.time >= since }
            let number = Int(request[parameter: "page"] ?? "") ?? 0
            let page = rows.dropFirst(number * pageSize).prefix(pageSize).map {
                #"{"Id":"\#($0.id)","LastModifiedDate":"\#(Timestamp.format($0.time))"}"#
            }
            let next = rows.count > (number + 1) * pageSize ? "\(number + 1)" : "null"
            return HTTPAnswer(#"{"readings":[\#(page.joined(separator: ","))],"next":\#(next),"total":\#(rows.count)}"#)
        }
        suite.maximumPages = 10
        return suite
    }

    private func violations(_ fault: DownFault) async -> [String] { await suite(fault).violations() }

    @Test func `A good target passes`() async throws {
        #expect(await violations(.none) == [])
    }

    @Test(arguments: [
        (DownFault.acceptsEverything, "is accepted: throw SoupError badConfiguration from init(configuration:)"),
        (.neverEnds, "there is no end, after 10 pages there is still a next one: leave next nil on the last page"),
        (.forgetsItsCursor, "there is no end"),
        (.losesTheLastRecord, "brings other records than the first time: all that leads to the next page belongs in"),
        (.hasNoIds, "has no text or number in its id field Id: name the field"),
        (
            .swallowsErrors,
            "asked for the first page the server answers with HTTP 500, and it makes a page of 0 records"
        ),
        (.endsOnErrors, "asked for the second page the server answers with HTTP 500, and it makes a page of 0 records"),
        (.swallowsCancellation, "it is cancelled while it waits and makes a page: let the CancellationError"),
        (.takesNothingForAnAnswer, "survivors takes it for an answer, so records would be deleted: throw a SoupError"),
        (.promisesOrder, "it promises to order by date, and does not"),
        (.tellsAWrongTotal, "the total size is told as 99, but 4 records came: tell how many the whole run brings"),
        (.announcesAnotherPage, "page 0 announced another next cursor than it has: announce that one"),
        (.missesTheInstant, "(inclusive) misses [\"r2\", \"r3\"]: bring every record whose date is at or after it"),
        (.bringsBackGhosts, "an id that the server does not know survives in part 0: return only ids"),
        (.asksElsewhere, "a whole run made no request through context.transport: send every request there"),
        (
            .believesAnyCount,
            "the server announces 4 record(s) and sends 2, and it takes these for all of them: set Page.expectedCount"
        ),
        (
            .takesNotFoundForGone,
            "the server answers with HTTP 404, and survivors takes it for an answer, so records would be deleted"
        ),
        (
            .takesMissingRecordsForGone,
            "the server sends fewer records than it announces, and survivors of part 0 takes the missing records for gone"
        ),
        (
            .takesRecordsWithoutIdsForGone,
            "the server sends records without IDs, and survivors of part 0 takes the missing records for gone"
        ),
        (.sendsImpossibleIds, "for a possible ID of part 0, and the server refuses the request for all others with it"),
        (.findsItsOwnIdsImpossible, "isPossibleId(_:part:) is false for [\"r0\"], which the server itself sent"),
        (.leavesADateOut, "1 of 4 record(s) of part 0 have no date that can be read in LastModifiedDate"),
        (.removesADate, "2 of 4 record(s) of part 0 have no date that can be read in LastModifiedDate"),
        (
            .takesAnErrorForNoDeletions,
            "and deletions of part 0 takes it for an answer: throw a SoupError, or return nil"
        ),
        (
            .cannotBeReadAsDates,
            "no record has a date that can be read in Changed, so the high-water mark was not tested"
        ),
    ])
    func `Each fault is found`(fault: DownFault, violation: String) async {
        let violations = await violations(fault)
        #expect(violations.contains { $0.contains(violation) }, "\(violations)")
    }

    /// The store gets what is stamped, so that is the record's date.
    @Test func `A stamped date is a date`() async { #expect(await violations(.stampsDates) == []) }

    @Test func `An estimate is not compared`() async {
        var suite = suite(.believesAnyCount)
        suite.approximateTotal = true
        #expect(await suite.violations() == [])
    }

    /// Somebody who reads one sentence and nothing else must know what to do.
    @Test(arguments: DownFault.allCases)
    func `Every violation says what to do`(fault: DownFault) async {
        for violation in await violations(fault) { #expect(violation.contains(": "), "\(violation)") }
    }

    @Test func `One page tests no paging`() async {
        var suite = suite(.none, pageSize: 9)
        #expect(
            await suite.violations() == [
                "everything came on one page, so that pages repeat, end and resume was not tested: let the server hold more "
                    + "than one page, or say singlePage: true when it has no pages"
            ])
        suite.singlePage = true
        #expect(await suite.violations() == [])
        suite = self.suite(.none)
        suite.singlePage = true
        #expect(
            await suite.violations() == [
                "the suite was told singlePage, and the target asks for a second page: take singlePage away"
            ])
    }

    @Test func `One date tests no mark`() async {
        #expect(
            await suite(.none, times: [5, 5, 5]).violations() == [
                "all records have one modification date, so the high-water mark was not tested: let the server hold records "
                    + "that changed at different times"
            ])
        var suite = suite(.cannotBeReadAsDates)
        suite.undated = true
        #expect(await suite.violations() == [])
        suite = self.suite(.none)
        suite.undated = true
        #expect(
            await suite.violations() == [
                "the suite was told undated, and records carry dates in LastModifiedDate: take undated away"
            ])
    }

    @Test func `Check throws all violations at once`() async {
        let suite = SyncDownTargetSuite(ReadingsTarget.self, configuration: "{}") { _ in HTTPAnswer("{}") }
        let error = await #expect(throws: ConformanceError.self) { try await suite.check() }
        #expect(
            error?.description.hasPrefix(
                "readings breaks 1 rule(s):\n- the configuration given to the suite, with the type \"readings\", is refused"
            )
                == true)
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
