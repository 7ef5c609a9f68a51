// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Foundation
import SoupCore
import SoupTesting
import Testing

/// The fault of a target in these tests.
enum DownFault: String, CaseIterable {
    case none
    case acceptsAnyConfiguration
    case neverEnds
    case repeatsItsCursor
    case omitsARecordAtTimes
    case returnsNoIds
    case ignoresErrors
    case ignoresCancellation
    case reportsNoSurvivorsOnErrors
    case declaresWrongOrder
    case returnsWrongTotal
    case excludesTheMark
    case confirmsUnknownIds
    case endsOnErrors
    case sendsNoRequests
    case namesWrongDateField
    case announcesWrongPage
    case ignoresExpectedCount
    case treatsNotFoundAsDeleted
    case treatsMissingRecordsAsDeleted
    case treatsRecordsWithoutIdsAsDeleted
    case acceptsImpossibleIds
    case rejectsServerIds
    case omitsADate
    case removesADate
    case stampsDates
    case ignoresDeletionErrors
    case reportsAllDeletions
}

/// A target for a list of readings, with a fault that its configuration selects.
private struct ReadingsTarget: SyncDownTarget {
    struct Configuration: Decodable, Sendable {
        var station: String?
        var fault: String?
    }

    static let name: PluginName = "readings"
    let fault: DownFault
    var ordersByModificationDate: Bool { fault == .declaresWrongOrder }
    var modificationDateField: String {
        [.namesWrongDateField, .stampsDates].contains(fault) ? "Changed" : "LastModifiedDate"
    }

    init(configuration: Configuration) throws {
        fault = DownFault(rawValue: configuration.fault ?? "") ?? .none
        if configuration.station == nil, fault != .acceptsAnyConfiguration {
            throw SoupError(.badConfiguration, "no station", place: SoupError.Place(path: "station"))
        }
    }

    func page(after cursor: PageCursor?, in context: SyncContext) async throws -> RecordPage {
        let number = Int(cursor?.rawValue ?? "") ?? 0
        if fault == .sendsNoRequests { return RecordPage(RecordBatch(try [JSONText(#"{"Id":"x"}"#)])) }
        do {
            let mark = context.highWaterMark.map { $0.time.millisecondsSince1970 + (fault == .excludesTheMark ? 1 : 0) }
            let since = mark.map { "&since=\($0)" } ?? ""
            let answer = try await context.get("/readings?page=\(number)\(since)")
            var page = try RecordPage(
                answer, recordsAt: "readings", nextAt: "next", totalAt: "total",
                totalIsExact: fault != .ignoresExpectedCount)
            if fault == .neverEnds, page.next == nil { page.next = PageCursor("0") }
            if fault == .repeatsItsCursor, cursor != nil { page.next = PageCursor("\(number)") }
            if fault == .omitsARecordAtTimes, cursor == nil, context.clock.milliseconds.isMultiple(of: 2) {
                page.parts[0] = page.parts[0].filter { $0 > 0 }
            }
            if fault == .returnsNoIds { page.parts = [RecordBatch(try [JSONText("{}")])] }
            if fault == .returnsWrongTotal { page.totalSize = 99 }
            // The suite also sends pages without records, and with fewer than the server announces.
            if fault == .omitsADate, cursor == nil, !page.parts[0].isEmpty {
                let others = (1..<page.parts[0].count).map { page.parts[0][$0] }
                page.parts[0] = RecordBatch([try JSONText(#"{"Id":"r0"}"#)] + others)
            }
            if fault == .removesADate {
                page.parts[0] = page.parts[0].stamping([0: RecordBatch.Stamp.none.setting("LastModifiedDate", nil)])
            }
            if fault == .stampsDates {
                let stamps = (0..<page.parts[0].count).map { index in
                    (index, RecordBatch.Stamp.none.setting("Changed", page.parts[0].date(at: index)))
                }
                page.parts[0] = page.parts[0].stamping(Dictionary(uniqueKeysWithValues: stamps))
            }
            if let next = page.next { context.announceNext(fault == .announcesWrongPage ? PageCursor("9") : next) }
            return page
        } catch let error as SoupError where fault == .ignoresErrors || fault == .endsOnErrors && cursor != nil {
            _ = error
            return RecordPage(.empty)
        } catch is CancellationError where fault == .ignoresCancellation {
            return RecordPage(.empty)
        }
    }

    func survivors(of ids: [String], part: Int, in context: SyncContext) async throws -> Set<String>? {
        if fault == .confirmsUnknownIds { return Set(ids) }
        do {
            let asked = URLText.query(ids.joined(separator: ","))
            let answer = try await context.send(.get, "/ids?of=\(asked)")
            if fault == .treatsNotFoundAsDeleted, answer.status == 404 { return [] }
            guard answer.isSuccess else { throw answer.failure(of: "GET", "/ids") }
            let json = try answer.json().value
            guard let total = json["total"]?.intValue, let known = json["ids"]?.arrayValue else {
                throw SoupError(.json, "no list of ids")
            }
            guard Int(total) == known.count || fault == .treatsMissingRecordsAsDeleted else {
                throw SoupError.incomplete("the list of ids", expected: Int(total), count: known.count)
            }
            let found = known.compactMap { $0["Id"]?.stringValue }
            guard found.count == known.count || fault == .treatsRecordsWithoutIdsAsDeleted else {
                throw SoupError(.json, "a record has no id")
            }
            return Set(ids).intersection(found)
        } catch let error as SoupError where fault == .reportsNoSurvivorsOnErrors {
            _ = error
            return []
        }
    }

    func isPossibleId(_ id: String, part: Int) -> Bool {
        if fault == .rejectsServerIds { return id != "r0" }
        return fault == .acceptsImpossibleIds || !id.unicodeScalars.contains { $0.value < 0x20 }
    }

    func deletions(since time: Date?, part: Int, in context: SyncContext) async throws -> DeletionReport? {
        if fault == .reportsAllDeletions {
            _ = try await context.get("/deleted")
            return .complete(ids: [], coveredUntil: time ?? Date(timeIntervalSince1970: 0))
        }
        guard fault == .ignoresDeletionErrors else { return nil }
        guard let time else { return .incomplete }
        _ = try? await context.get("/deleted")
        return .complete(ids: [], coveredUntil: time)
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
    ///   - pageSize: the number of readings on a page.
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
                #"{"Id":"\#($0.id)","LastModifiedDate":"\#(DateText.format($0.time))"}"#
            }
            let next = rows.count > (number + 1) * pageSize ? "\(number + 1)" : "null"
            return HTTPAnswer(#"{"readings":[\#(page.joined(separator: ","))],"next":\#(next),"total":\#(rows.count)}"#)
        }
        suite.maximumPages = 10
        return suite
    }

    private func violations(_ fault: DownFault) async -> [String] { await suite(fault).violations() }

    @Test func `A correct target passes`() async throws {
        #expect(await violations(.none) == [])
    }

    @Test(arguments: [
        (DownFault.acceptsAnyConfiguration, "is accepted: throw SoupError badConfiguration from init(configuration:)"),
        (.neverEnds, "the run does not end, and page 10 still has a next cursor: leave next nil on the last page"),
        (.repeatsItsCursor, "the run does not end"),
        (
            .omitsARecordAtTimes,
            "returns other records than the first time: store everything that the next page needs in"
        ),
        (.returnsNoIds, "has no text or number in its ID field Id: set idField"),
        (
            .ignoresErrors,
            "the server responds to the request for the first page with HTTP 500, and the target returns a page of 0 records"
        ),
        (
            .endsOnErrors,
            "the server responds to the request for the second page with HTTP 500, and the target returns a page of 0 records"
        ),
        (.ignoresCancellation, "the task is cancelled while the target waits, and the target returns a page: rethrow"),
        (
            .reportsNoSurvivorsOnErrors,
            "survivors reports records as deleted, so their entries would be removed: throw a SoupError"
        ),
        (.declaresWrongOrder, "ordersByModificationDate is true, but the records have another order"),
        (
            .returnsWrongTotal,
            "totalSize is 99, but the run has 4 records: set it to the number of records of the whole run"
        ),
        (.announcesWrongPage, "page 0 announced a cursor that is not its next cursor: announce the next cursor"),
        (
            .excludesTheMark,
            "(inclusive) misses [\"r2\", \"r3\"]: fetch every record whose date is at or after the mark"
        ),
        (.confirmsUnknownIds, "survivors of part 0 contains an ID that the server does not have: return only IDs"),
        (.sendsNoRequests, "a whole run made no request through context.transport: send every request through it"),
        (
            .ignoresExpectedCount,
            "the server announces 4 record(s) and sends 2, and the target ends the run as complete: set RecordPage.expectedCount"
        ),
        (
            .treatsNotFoundAsDeleted,
            "the server responds with HTTP 404, and survivors reports records as deleted, so their entries would be removed"
        ),
        (
            .treatsMissingRecordsAsDeleted,
            "the server sends fewer records than it announces, and survivors of part 0 reports the missing records as deleted"
        ),
        (
            .treatsRecordsWithoutIdsAsDeleted,
            "the server sends records without IDs, and survivors of part 0 reports the missing records as deleted"
        ),
        (
            .acceptsImpossibleIds,
            "in part 0, and the server refuses the request for all IDs because of it: return false"
        ),
        (.rejectsServerIds, "isPossibleId(_:part:) returns false for [\"r0\"], which the server sent"),
        (.omitsADate, "1 of 4 record(s) of part 0 have no valid date in LastModifiedDate"),
        (.removesADate, "2 of 4 record(s) of part 0 have no valid date in LastModifiedDate"),
        (
            .ignoresDeletionErrors,
            "and deletions of part 0 returns complete(ids: [], coveredUntil: "
        ),
        (.ignoresDeletionErrors, "): throw a SoupError, or return .incomplete"),
        (
            .reportsAllDeletions,
            "deletions of part 0 returns a list or makes a request: return .incomplete if time is nil"
        ),
        (
            .namesWrongDateField,
            "no record has a valid date in Changed, so the high-water mark was not tested"
        ),
    ])
    func `Each fault is found`(fault: DownFault, violation: String) async {
        let violations = await violations(fault)
        #expect(violations.contains { $0.contains(violation) }, "\(violations)")
    }

    @Test func `A stamped date counts as the record's date`() async { #expect(await violations(.stampsDates) == []) }

    @Test func `An approximate total is not compared`() async {
        var suite = suite(.ignoresExpectedCount)
        suite.approximateTotal = true
        #expect(await suite.violations() == [])
    }

    /// An author must be able to correct the target from the sentence alone.
    @Test(arguments: DownFault.allCases)
    func `Every violation states the requirement`(fault: DownFault) async {
        for violation in await violations(fault) { #expect(violation.contains(": "), "\(violation)") }
    }

    @Test func `A single page leaves paging untested`() async {
        var suite = suite(.none, pageSize: 9)
        #expect(
            await suite.violations() == [
                "all records are on one page, so repeating, ending and resuming pages was not tested: add records to the "
                    + "server for a second page, or set singlePage: true if it has no pages"
            ])
        suite.singlePage = true
        #expect(await suite.violations() == [])
        suite = self.suite(.none)
        suite.singlePage = true
        #expect(
            await suite.violations() == [
                "singlePage is set, but the target requests a second page: remove singlePage"
            ])
    }

    @Test func `A single date leaves the high-water mark untested`() async {
        #expect(
            await suite(.none, times: [5, 5, 5]).violations() == [
                "all records have the same modification date, so the high-water mark was not tested: add records to the "
                    + "server that changed at different times"
            ])
        var suite = suite(.namesWrongDateField)
        suite.undated = true
        #expect(await suite.violations() == [])
        suite = self.suite(.none)
        suite.undated = true
        #expect(
            await suite.violations() == [
                "undated is set, but records have dates in LastModifiedDate: remove undated"
            ])
    }

    @Test func `Check throws all violations at once`() async {
        let suite = SyncDownTargetSuite(ReadingsTarget.self, configuration: "{}") { _ in HTTPAnswer("{}") }
        let error = await #expect(throws: ConformanceError.self) { try await suite.check() }
        #expect(
            error?.description.hasPrefix(
                "readings breaks 1 rule(s):\n- the configuration of the suite is rejected with the type \"readings\""
            )
                == true)
    }
}

/// A clock that advances by one millisecond at each reading.
private final class TickingClock: SoupClock {
    private let clock = ManualClock.advancing(from: Date(timeIntervalSince1970: 0))
    var now: Date {
        clock.advance(by: .milliseconds(1))
        return clock.now
    }
    func sleep(for duration: Duration) async throws { try await clock.sleep(for: duration) }
}
