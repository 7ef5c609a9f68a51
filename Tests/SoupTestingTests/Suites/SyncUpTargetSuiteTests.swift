// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupTesting
import Testing

@Suite struct SyncUpTargetSuiteTests {
    private func suite(
        _ fault: UpFault, kinds: [RecordChange.Kind] = [.create, .update, .delete]
    ) throws -> SyncUpTargetSuite<ReadingsUpTarget> {
        let server = ReadingsServer()
        let version = UpFault.ofVersions.contains(fault) ? #","version":"v1""# : ""
        let batches = try kinds.map { kind in
            try (1...3).map {
                RecordChange(
                    kind, soup: "readings", entryId: $0, serverId: kind == .create ? nil : "r\($0)",
                    record: try JSONText(#"{"number":\#($0)\#(version)}"#))
            }
        }
        return SyncUpTargetSuite(
            ReadingsUpTarget.self, configuration: #"{"fault":"\#(fault.rawValue)"}"#, batches: batches,
            recordCount: { server.count }, wrongPath: HTTPAnswer(status: 404, #"{"code":"NO_SUCH_PATH"}"#),
            missingRecords: { request in
                request.pathWithoutQuery == "/states"
                    ? HTTPAnswer(#"{"id":"none"}"#) : HTTPAnswer(status: 404, #"{"code":"NO_READING"}"#)
            },
            changedRecords: { request in
                request.header("If-Match") == nil
                    ? HTTPAnswer(#"{"id":"r1"}"#) : HTTPAnswer(status: 412, #"{"code":"OTHER_VERSION"}"#)
            },
            server: { server.answer($0, $1) })
    }

    @Test func `A correct target passes`() async throws {
        #expect(try await suite(.none).violations() == [])
    }

    @Test(arguments: [
        (
            UpFault.requestsForEmptyBatch,
            "push made 1 request(s) for an empty batch: return no outcome and send nothing"
        ),
        (.dropsAnOutcome, "push returned 2 outcomes for 3 changes: return one for each change, in order"),
        (.returnsNoIds, "has no serverId: set the ID that the server returned"),
        (.repeatsAnId, "two outcomes have the same ID"),
        (.reversesOutcomes, "the outcomes at [2] are .failed: return .failed for the refused change"),
        (
            .throwsOnRefusal,
            "the server refuses change 0 of 3 (create), and push threw SoupError server (\"refused\"): return "
                + ".failed with code, message and fields for the refused change"
        ),
        (
            .throwsOnLostResponse,
            "request 1 of 3 (create): the response was lost after the server applied the changes, and push threw SoupError "
                + "network (\"the connection broke: lost by the test\"): return .unknown for the changes of the request, "
                + "because an error means that none was sent"
        ),
        (
            .throwsOnLostResponse,
            "the exchange was cancelled after the server applied the changes, and push threw CancellationError: return "
        ),
        (
            .throwsOnLostResponse,
            "the connection broke, and it is unknown whether the server applied the changes, and push"
        ),
        (.skipsOnLostResponse, "and no outcome is unknown, [\".skipped\", \".failed (NOT_SENT not sent"),
        (.notRetryableWhenUnsent, "the failure is not retryable: rethrow the transport's error"),
        (.unknownWhenUnsent, "the request was certainly not sent, and an outcome is unknown"),
        (
            .returnsInvalidDates,
            "the modification date today of entry 1 of readings is not ISO 8601: format it as DateText.format does"
        ),
        (.guessesStates, "the server responds with HTTP 500 to the request for states, and serverStates returned"),
        (.setsIsGoneOnRefusal, "the failure has isGone: set isGone only if"),
        (
            .declaresWrongIdempotence,
            "pushed twice, and the server has 3 more record(s): send a value that identifies"
        ),
        (.declaresWrongIdempotence, "have other IDs the second time"),
        (
            .findsNoCreation,
            "just accepted creations as [\"r1\", \"r2\", \"r3\"], and findCreated returned [\"none\", \"none\", \"none\"]"
        ),
        (
            .treatsLookupErrorAsMissing,
            "findCreated reports the record as missing, so it would be created a second time: throw"
        ),
        (.supportsNoLookup, "the target implements findCreated, but it was not tested"),
        (.dropsARecord, "serverRecords returned 2 results for 3 changes: return one for each"),
        (.dropsARecordOfUpdates, "serverRecords returned 2 results for 3 updates: return one for each"),
        (.findsNoRecord, "just accepted a creation as r1, and serverRecords returned nil for it: return"),
        (
            .treatsFetchErrorAsMissing,
            "and serverRecords reports the record as missing, so it would count as deleted on the server: throw"
        ),
        (.returnsOtherValues, "serverRecords returned other values of r1 in number than push just sent: return values"),
        (.returnsOtherFields, "serverRecords returned none of the fields of r1 that push just sent"),
        (.returnsNoDate, "serverRecords returned no valid modification date of r1 in LastModifiedDate: add"),
        (.reportsStatesAtTimes, "serverStates returned states for one batch and nil for another: return nil for all"),
        (
            .reportsNoStatesOnErrors,
            "and serverStates returned nil, which means that the target never reports states: return .unknown for each"
        ),
        (.returnsNoStates, "serverStates returned no known state, so it was not tested: let the suite's server"),
        (.hasBatchSizeOne, "a batch of the suite has 3 changes, and maxBatchSize is 1: use smaller batches"),
    ])
    func `Each fault is found`(fault: UpFault, violation: String) async throws {
        let violations = try await suite(fault).violations()
        #expect(violations.contains { $0.contains(violation) }, "\(violations)")
    }

    /// Faults with temporary IDs, missing records and versions, and their violations.
    private static let records: [(UpFault, String)] = [
        (.sendsTemporaryIds, "creations with temporary IDs were pushed, and a request contains one, PUT /r/1 "),
        (
            .recognizesNoMissingRecord,
            "the server does not have the records (update), and an outcome is .failed (REFUSED refused): return .failed "
                + "with isGone"
        ),
        (
            .recognizesNoMissingRecord,
            "the server does not have the records (delete), and an outcome is .failed (REFUSED refused)"
        ),
        (.reportsMissingRecordsAsChanged, "the server does not have the records (update), and serverStates returned ["),
        (.findsOthersCreations, "the server does not have the records (create), and findCreated returned [\"r9\", "),
        (.returnsOthersRecords, "the server does not have the records (update), and serverRecords returned [\"{"),
        (.comparesVersionsAlways, "isConditional returns true under OVERWRITE, so the server refuses changes"),
        (.comparesVersionsWithoutOne, "isConditional returns true for a change without a version in version: return"),
        (.namesNoVersionField, "isConditional returns true, but versionField is nil, so the next push has an old"),
        (
            .treatsConflictsAsRefusals,
            "the records have other versions on the server (update), and an outcome is .failed (REFUSED refused): return "
                + ".conflict"
        ),
        (.sendsNoVersion, "isConditional returns true, but the requests are the same for another version: send"),
    ]

    @Test(arguments: records) func `Faults with IDs, missing records and versions are found`(
        fault: UpFault, violation: String
    ) async throws {
        let violations = try await suite(fault).violations()
        #expect(violations.contains { $0.contains(violation) }, "\(violations)")
    }

    /// Faults of targets that accept the responses of gateways, and their violations.
    private static let foreign: [(UpFault, String)] = [
        (
            .treatsAny404AsGone,
            "request 1 of 3 (delete): the server applied the changes, and a gateway responded with HTTP 404 with an HTML page, "
                + "and the failure has isGone: set isGone only if the server reports in its own form"
        ),
        (
            .treatsAny404AsGone,
            "request 2 of 3 (update): the server applied the changes, and a gateway responded with HTTP 404 with an empty body, "
                + "and the failure has isGone"
        ),
        (
            .treatsAnyStatusAsRefusal,
            "request 1 of 3 (create): the server applied the changes, and a gateway responded with HTTP 302 with an empty body, "
                + "and no outcome is unknown, "
        ),
        (.treatsAnyStatusAsRefusal, "HTTP 408 with an HTML page, and no outcome is unknown, "),
        (
            .resendsCreations,
            "a gateway responded with HTTP 413 with an HTML page, and push made 4 requests instead of 3: do not send "
                + "creations again in the same push, because this creates a second record"
        ),
        (
            .acceptsAnyId,
            "the server applied creations, and its response has \"\" for each ID, and an outcome is .ok with \"\": return "
                + ".unknown for a creation without a valid ID (ServerId.isPossible)"
        ),
        (
            .acceptsAnyId,
            "its response has \"local_1\" for each ID, and an outcome is .ok with \"local_1\": return .unknown"
        ),
        (
            .treatsAny404AsDeleted,
            "a gateway responds with HTTP 404 with an HTML page to the request for states, and serverStates returned"
        ),
        (
            .trustsWrongPaths,
            "the server responds to every request as for a wrong path, and push reports that a record is gone: request "
                + "something that exists on the right path before you report a record as missing"
        ),
        (
            .trustsWrongPaths,
            "the server responds to every request as for a wrong path, and serverStates reports that a record is deleted"
        ),
    ]

    @Test(arguments: foreign) func `A gateway's response does not count as the server's`(
        fault: UpFault, violation: String
    ) async throws {
        let violations = try await suite(fault).violations()
        #expect(violations.contains { $0.contains(violation) }, "\(violations)")
    }

    /// An author must be able to correct the target from the sentence alone.
    @Test(arguments: UpFault.allCases)
    func `Every violation states the requirement`(fault: UpFault) async throws {
        for violation in try await suite(fault).violations() {
            #expect(violation.contains(": ") && !violation.contains("Fault"), "\(violation)")
        }
    }

    @Test func `Missing input for a check is reported`() async throws {
        var suite = try suite(.none, kinds: [.create])
        suite.recordCount = nil
        let violations = await suite.violations()
        #expect(
            violations.map { String($0.prefix { $0 != ":" }) } == [
                "the suite has no batch of kind update, so this kind was not tested",
                "the suite has no batch of kind delete, so this kind was not tested",
                "isIdempotent returns true for creations, but this was not tested",
            ])
        suite = try self.suite(.none, kinds: [.update, .delete])
        #expect(
            await suite.violations().map { String($0.prefix { $0 != ":" }) } == [
                "the suite has no batch of kind create, so this kind was not tested",
                "the target implements findCreated, but it was not tested",
            ])
    }

    @Test func `A target that compares versions passes`() async throws {
        #expect(try await suite(.comparesVersions).violations() == [])
    }

    @Test func `Missing servers for a check are reported`() async throws {
        var suite = try suite(.comparesVersions, kinds: [.create, .update, .delete])
        suite.missingRecords = nil
        suite.changedRecords = nil
        let missing =
            "the suite has no response for missing records, so it was not tested whether the target recognizes them "
        let changed = "isConditional returns true, but conflicts were not tested"
        #expect(
            await suite.violations().map { String($0.prefix { $0 != ":" }) } == [
                "\(missing)(update)", changed, "\(missing)(delete)", changed,
            ])
    }

    @Test func `A target need not fetch records`() async throws {
        #expect(try await suite(.supportsNoFetch).violations() == [])
    }

    @Test func `A target need not look up creations`() async throws {
        var suite = try suite(.supportsNoLookup)
        suite.withoutLookups = true
        #expect(await suite.violations() == [])
    }
}
