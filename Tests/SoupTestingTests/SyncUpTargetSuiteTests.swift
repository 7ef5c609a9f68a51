// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore
import SoupTesting
import Synchronization
import Testing

/// The fault of a target in these tests.
enum UpFault: String, CaseIterable {
    case none
    case requestsForEmptyBatch
    case dropsAnOutcome
    case returnsNoIds
    case repeatsAnId
    case reversesOutcomes
    case throwsOnRefusal
    case throwsOnLostResponse
    case skipsOnLostResponse
    case notRetryableWhenUnsent
    case unknownWhenUnsent
    case returnsInvalidDates
    case guessesStates
    case setsIsGoneOnRefusal
    case declaresWrongIdempotence
    case findsNoCreation
    case treatsLookupErrorAsMissing
    case supportsNoLookup
    case reportsStatesAtTimes
    case reportsNoStatesOnErrors
    case returnsNoStates
    case hasBatchSizeOne
    case supportsNoFetch
    case dropsARecord
    case dropsARecordOfUpdates
    case findsNoRecord
    case treatsFetchErrorAsMissing
    case returnsOtherValues
    case returnsOtherFields
    case returnsNoDate
    case treatsAny404AsGone
    case treatsAnyStatusAsRefusal
    case resendsCreations
    case acceptsAnyId
    case treatsAny404AsDeleted
    case trustsWrongPaths
}

/// A target that puts each reading at its number with one request, and has a fault that its configuration selects.
private struct ReadingsUpTarget: SyncUpTarget {
    struct Configuration: Decodable, Sendable { var fault: String? }

    static let name: PluginName = "readings"
    let fault: UpFault

    init(configuration: Configuration) { fault = UpFault(rawValue: configuration.fault ?? "") ?? .none }

    func push(_ changes: [RecordChange], in context: SyncContext) async throws -> [PushOutcome] {
        if fault == .requestsForEmptyBatch { _ = try await context.send(.get, "/ping") }
        var outcomes: [PushOutcome] = []
        var isCutOff = false
        for change in changes {
            if isCutOff {
                outcomes.append(.failed(PushFailure(code: "NOT_SENT", message: "not sent", isRetryable: true)))
                continue
            }
            do {
                var answer = try await send(change, context)
                if fault == .resendsCreations, change.kind == .create, answer.status == 413 {
                    answer = try await send(change, context)
                }
                outcomes.append(outcome(answer, change))
            } catch {
                let known = error as? SoupError
                if known?.delivery == .notSent {
                    if outcomes.isEmpty, fault == .none { throw error }
                    outcomes.append(unsent)
                } else if fault == .throwsOnLostResponse {
                    throw error
                } else {
                    outcomes.append(
                        fault == .skipsOnLostResponse ? .skipped : .unknown(.init(code: "LOST", message: "lost")))
                }
                isCutOff = true
            }
        }
        if fault == .throwsOnRefusal, outcomes.contains(where: { $0.result != .ok }) {
            throw SoupError(.server, "refused")
        }
        if fault == .dropsAnOutcome { outcomes = outcomes.dropLast() }
        return fault == .reversesOutcomes ? outcomes.reversed() : outcomes
    }

    private func send(_ change: RecordChange, _ context: SyncContext) async throws -> HTTPAnswer {
        let path = "/r/\(change.entryId)"
        switch change.kind {
        case .delete: return try await context.send(.delete, path)
        case .create where fault == .declaresWrongIdempotence:
            return try await context.send(.post, "/r", json: change.record)
        default: return try await context.send(.put, path, json: change.record)
        }
    }

    private var unsent: PushOutcome {
        fault == .unknownWhenUnsent
            ? .unknown(.init(code: "LOST", message: "lost"))
            : .failed(.init(code: "NOT_SENT", message: "x", isRetryable: fault != .notRetryableWhenUnsent))
    }

    private func outcome(_ answer: HTTPAnswer, _ change: RecordChange) -> PushOutcome {
        let isGone = fault == .setsIsGoneOnRefusal || fault == .treatsAny404AsGone && answer.status == 404
        if fault == .treatsAnyStatusAsRefusal || isGone && fault == .treatsAny404AsGone, !answer.isSuccess {
            return .failed(PushFailure(code: "HTTP_\(answer.status)", message: "refused", isGone: isGone))
        }
        guard let body = try? JSONValue(parsing: answer.body), answer.isSuccess || body["code"] != nil else {
            return .unknown(PushFailure(code: "LOST", message: "the response is not JSON"))
        }
        guard answer.isSuccess else {
            let isGone = isGone || fault == .trustsWrongPaths && body["code"] == "NO_SUCH_PATH"
            return .failed(PushFailure(code: "REFUSED", message: "refused", isGone: isGone))
        }
        let id = fault == .repeatsAnId ? "same" : body["id"]?.stringValue
        if fault != .acceptsAnyId, fault != .returnsNoIds, fault != .repeatsAnId, change.kind == .create,
            !(id.map(ServerId.isPossible) ?? false)
        {
            return .unknown(PushFailure(code: "LOST", message: "the response has no ID"))
        }
        return .ok(
            serverId: fault == .returnsNoIds ? nil : id, modificationDate: fault == .returnsInvalidDates ? "today" : nil
        )
    }

    var maxBatchSize: Int { fault == .hasBatchSizeOne ? 1 : 200 }
    func isIdempotent(_ creation: RecordChange) -> Bool { true }

    func serverStates(of changes: [RecordChange], in context: SyncContext) async throws -> [ServerState]? {
        if fault == .reportsStatesAtTimes, changes[0].kind == .delete { return nil }
        if fault == .returnsNoStates { return changes.map { _ in .unknown } }
        let answer = try await context.send(.get, "/states")
        if answer.status == 404 {
            let isOwn = (try? answer.json())?["code"] != nil
            if fault == .reportsNoStatesOnErrors { return nil }
            return changes.map { _ in
                fault == .treatsAny404AsDeleted || fault == .trustsWrongPaths && isOwn ? .deleted : .unknown
            }
        }
        guard fault != .guessesStates else { return changes.map { _ in .deleted } }
        guard answer.isSuccess, (try? answer.json())?["id"] != nil else { return changes.map { _ in .unknown } }
        return changes.map { _ in .deleted }
    }

    func findCreated(_ changes: [RecordChange], in context: SyncContext) async throws -> [String?]? {
        if fault == .supportsNoLookup, !changes.isEmpty { return nil }
        var ids: [String?] = []
        for change in changes {
            do {
                let answer = try await context.send(.get, "/r/\(change.entryId)")
                let json = try answer.json()
                guard answer.isSuccess || json["code"] == "NO_READING" else { throw answer.failure(of: "GET", "/r") }
                ids.append(fault == .findsNoCreation ? nil : json["id"]?.stringValue)
            } catch let error as SoupError where fault == .treatsLookupErrorAsMissing {
                _ = error
                ids.append(nil)
            }
        }
        return ids
    }
}

extension ReadingsUpTarget {
    func serverRecords(of changes: [RecordChange], in context: SyncContext) async throws -> [JSONText?]? {
        guard fault != .supportsNoFetch else { return nil }
        var records: [JSONText?] = []
        for change in changes {
            let answer = try? await context.send(.get, "/r/\(change.entryId)")
            guard let answer, answer.isSuccess, (try? answer.json()) != nil else {
                guard fault != .treatsFetchErrorAsMissing else {
                    records.append(nil)
                    continue
                }
                throw SoupError(.server, "no record")
            }
            let number = fault == .returnsOtherValues ? "\"no. \(change.entryId)\"" : "\(change.entryId)"
            let field = fault == .returnsOtherFields ? "no" : "number"
            let date = fault == .returnsNoDate ? "" : #","LastModifiedDate":"\#(DateText.format(0))""#
            records.append(fault == .findsNoRecord ? nil : try JSONText(#"{"\#(field)":\#(number)\#(date)}"#))
        }
        let isShort = fault == .dropsARecord || fault == .dropsARecordOfUpdates && changes[0].kind == .update
        return isShort ? records.dropLast() : records
    }
}

/// A server that stores readings by their numbers; each POST adds a reading.
private final class ReadingsServer: Sendable {
    private let ids = Mutex<Set<String>>([])

    var count: Int { ids.withLock { $0.count } }

    func answer(_ request: RecordedRequest, _ refused: [RecordChange]) -> HTTPAnswer {
        let last = request.pathWithoutQuery.split(separator: "/").last.map(String.init) ?? ""
        let number = request.json?["number"]?.intValue.map(String.init) ?? last
        if refused.contains(where: { "\($0.entryId)" == number }) {
            return HTTPAnswer(status: 400, #"{"code":"TOO_COLD"}"#)
        }
        return ids.withLock { ids in
            let id = request.method == .post ? "p\(ids.count)" : "r\(number)"
            switch request.method {
            case .get where last != "states" && !ids.contains(id):
                return HTTPAnswer(status: 404, #"{"code":"NO_READING"}"#)
            case .delete: ids.remove(id)
            case .put, .post: ids.insert(id)
            default: break
            }
            return HTTPAnswer(status: 200, #"{"id":"\#(id)"}"#)
        }
    }
}

@Suite struct SyncUpTargetSuiteTests {
    private func suite(
        _ fault: UpFault, kinds: [RecordChange.Kind] = [.create, .update, .delete]
    ) throws -> SyncUpTargetSuite<ReadingsUpTarget> {
        let server = ReadingsServer()
        let batches = try kinds.map { kind in
            try (1...3).map {
                RecordChange(
                    kind, soup: "readings", entryId: $0, serverId: kind == .create ? nil : "r\($0)",
                    record: try JSONText(#"{"number":\#($0)}"#))
            }
        }
        return SyncUpTargetSuite(
            ReadingsUpTarget.self, configuration: #"{"fault":"\#(fault.rawValue)"}"#, batches: batches,
            recordCount: { server.count }, wrongPath: HTTPAnswer(status: 404, #"{"code":"NO_SUCH_PATH"}"#),
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

    @Test func `A target need not fetch records`() async throws {
        #expect(try await suite(.supportsNoFetch).violations() == [])
    }

    @Test func `A target need not look up creations`() async throws {
        var suite = try suite(.supportsNoLookup)
        suite.withoutLookups = true
        #expect(await suite.violations() == [])
    }
}
