// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupCore
import SoupTesting
import Testing

@Suite struct SyncDownTargetSuiteTests {
    /// - Parameters:
    ///   - times: the modification dates of the server's readings, in seconds.
    ///   - pageSize: the number of readings on a page.
    private func suite(
        _ fault: DownFault, times: [Int64] = [3, 1, 2, 2], pageSize: Int = 2
    ) -> SyncDownTargetSuite<ReadingsDownTarget> {
        var suite = SyncDownTargetSuite(
            ReadingsDownTarget.self, configuration: #"{"station":"x","fault":"\#(fault.rawValue)"}"#,
            badConfigurations: [#"{"fault":"\#(fault.rawValue)"}"#],
            context: SyncContext(transport: ScriptedTransport([]), clock: TickingClock(), soup: "readings")
        ) { request in
            if request.pathWithoutQuery == "/ids" {
                return HTTPAnswer(#"{"total":4,"ids":[{"Id":"r0"},{"Id":"r1"},{"Id":"r2"},{"Id":"r3"}]}"#)
            }
            if request.pathWithoutQuery == "/deleted" { return HTTPAnswer(#"{"ids":["gone"]}"#) }
            let since = Int64(request[parameter: "since"] ?? "") ?? 0
            let rows = times.enumerated().map { (id: "r\($0)", time: Int64($1) * 1000) }.filter { $0.time >= since }
            var start = (Int(request[parameter: "page"] ?? "") ?? 0) * pageSize
            if let id = request[parameter: "after"] {
                guard let index = rows.firstIndex(where: { $0.id == id }) else {
                    return HTTPAnswer(status: 400, #"{"code":"NO_SUCH_READING"}"#)
                }
                start = index + 1
            }
            let shown = rows.dropFirst(start).prefix(pageSize)
            let page = shown.map { #"{"Id":"\#($0.id)","LastModifiedDate":"\#(DateText.format($0.time))"}"# }
            let next = rows.count > start + pageSize ? "\"\(shown.last?.id ?? "")\"" : "null"
            return HTTPAnswer(#"{"readings":[\#(page.joined(separator: ","))],"next":\#(next),"total":\#(rows.count)}"#)
        }
        suite.maximumPages = 10
        return suite
    }

    private func violations(_ fault: DownFault) async -> [String] { await suite(fault).violations() }

    @Test func `A correct target passes`() async throws {
        #expect(await violations(.none) == [])
        #expect(await violations(.looksUpRecords) == [])
        #expect(await violations(.reportsChanges) == [])
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
        (.confirmsUnknownIds, "survivors of level 0 contains an ID that the server does not have: return only IDs"),
        (.confirmsUnknownRecords, "existing of level 0 contains an ID that the server does not have: return only IDs"),
        (
            .treatsErrorsAsMissingRecords,
            "the server responds with HTTP 500, and existing reports records as deleted, so their entries would be removed"
        ),
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
            "the server sends fewer records than it announces, and survivors of level 0 reports the missing records as deleted"
        ),
        (
            .treatsRecordsWithoutIdsAsDeleted,
            "the server sends records without IDs, and survivors of level 0 reports the missing records as deleted"
        ),
        (
            .acceptsImpossibleIds,
            "in level 0, and the server refuses the request for all IDs because of it: return false"
        ),
        (.rejectsServerIds, "isPossibleId(_:level:) returns false for [\"r0\"], which the server sent"),
        (.omitsADate, "1 of 4 record(s) of level 0 have no valid date in LastModifiedDate"),
        (.removesADate, "2 of 4 record(s) of level 0 have no valid date in LastModifiedDate"),
        (
            .ignoresDeletionErrors,
            "and deletions of level 0 returns complete(ids: [], coveredUntil: "
        ),
        (.ignoresDeletionErrors, "): throw a SoupError, or return .incomplete"),
        (
            .reportsAllDeletions,
            "deletions of level 0 returns a list or makes a request: return .incomplete if time is nil"
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

    /// Faults with cursors, deletions and tokens, and their violations.
    private static let changes: [(DownFault, String)] = [
        (.storesNumbers, "pages are requested by number (page=1), so a record is never fetched if one before"),
        (.countsPages, "pages are requested by number (page=1), so a record is never fetched if one before"),
        (.acceptsAnyCursor, "the server knows the cursor, and the target returns a page of 0 records: throw"),
        (.failsAtUnknownCursors, "knows the cursor, and the target threw SoupError server (\""),
        (.restartsAtUnknownCursors, "the server knows the cursor, and the target returns a page of 2 records"),
        (.missesChanges, "changedIds of level 0 since 1970 lacks IDs that were just synced, [\"r0\"], so entries that"),
        (.reportsOtherChanges, "changedIds of level 0 returned other IDs the second time: return the same IDs"),
        (.ignoresTheLimit, "changedIds of level 0 returns more IDs than the limit: return .incomplete"),
        (.treatsErrorsAsNoChanges, "and changedIds of level 0 returns complete(ids: []): throw a SoupError, or return"),
        (.reportsLiveRecordsAsDeleted, "deletions of level 0 contains records that a full run returns, [\"r1\"]"),
        (.reportsNoDeletions, "deletions of level 0 reports none, so it was not tested: let the suite's server"),
        (.reportsOtherDeletions, "deletions of level 0 returned other IDs the second time: return"),
        (.coversNoPeriod, "deletions of level 0 covers a period that ends before its start: return"),
        (.reportsNoIdsAsDeleted, "deletions of level 0 contains a text that cannot be a server ID: return"),
        (.returnsTokenEarly, "page 0 has a syncToken and is not the last one: set it on the last page"),
        (.ignoresUnknownTokens, "the server does not know the token, and the target returns 4 record(s), so changes"),
        (.failsForUnknownTokens, "the server does not know the token, and the target threw SoupError server"),
        (.listsLiveRecordsAsDeleted, "deletedIds of level 0 contains records that a full run returns, [\"r1\"]"),
        (.listsDeletionsAtTimes, "with a new target returns other deletedIds than the first time"),
    ]

    @Test(arguments: changes) func `Faults with cursors, deletions and tokens are found`(
        fault: DownFault, violation: String
    ) async {
        let violations = await violations(fault)
        #expect(violations.contains { $0.contains(violation) }, "\(violations)")
    }

    @Test func `A stamped date counts as the record's date`() async { #expect(await violations(.stampsDates) == []) }

    @Test(arguments: [DownFault.reportsDeletions, .usesTokens, .listsDeletions])
    func `A correct target with deletions or tokens passes`(kind: DownFault) async {
        #expect(await violations(kind) == [])
    }

    @Test func `Numbered pages can be accepted`() async {
        var suite = suite(.countsPages)
        suite.numberedPages = true
        #expect(await suite.violations() == [])
        suite = self.suite(.storesNumbers)
        suite.numberedPages = true
        let violations = await suite.violations()
        #expect(violations.count == 1 && violations[0].contains("the cursor of the next one is not temporary"))
        suite = self.suite(.none)
        suite.numberedPages = true
        #expect(
            await suite.violations() == [
                "numberedPages is set, but no request contains the number of a page: remove numberedPages"
            ])
    }

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
                "all records are on one page, so repeating, ending and resuming pages was not tested: set RecordPage.next if "
                    + "the server sends a cursor, add records to the server for a second page, or set singlePage: true if "
                    + "it has no pages"
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
        let suite = SyncDownTargetSuite(ReadingsDownTarget.self, configuration: "{}") { _ in HTTPAnswer("{}") }
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
