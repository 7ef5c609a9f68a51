// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore
import SoupTesting
import Synchronization
import Testing

/// What a target of these tests does wrong.
enum UpFault: String, CaseIterable {
    case none
    case asksForNothing
    case dropsAnOutcome
    case hasNoIds
    case givesOneIdTwice
    case turnsOutcomesAround
    case throwsOnRefusal
    case throwsOnLostAnswer
    case calmsDownOnLostAnswer
    case calledFinalWhenUnsent
    case unknownWhenUnsent
    case writesDatesItsOwnWay
    case guessesStates
    case saysGone
    case callsCreationsRepeatable
    case findsNothing
    case takesSilenceForAbsence
    case looksNothingUp
    case hidesThatItTellsStates
    case asksForNoState
    case takesOneAtATime
    case fetchesNothing
    case dropsARecord
    case dropsARecordOfUpdates
    case findsNoRecord
    case takesSilenceForNoRecord
    case readsItsOwnWay
    case namesItsOwnWay
    case readsNoDate
    case takesEach404ForGone
    case takesEachStatusForARefusal
    case sendsCreationsAgain
    case takesAnyId
    case takesEach404ForDeleted
    case trustsWrongPaths
}

/// A target that puts readings under their numbers, one by one, with one fault to choose.
private struct ReadingsUpTarget: SyncUpTarget {
    struct Configuration: Decodable, Sendable { var fault: String? }

    static let name: PluginName = "readings"
    let fault: UpFault

    init(configuration: Configuration) { fault = UpFault(rawValue: configuration.fault ?? "") ?? .none }

    func push(_ changes: [RecordChange], in context: SyncContext) async throws -> [PushOutcome] {
        if fault == .asksForNothing { _ = try await context.send(.get, "/ping") }
        var outcomes: [PushOutcome] = []
        var isCutOff = false
        for change in changes {
            if isCutOff {
                outcomes.append(.failed(PushFailure(code: "NOT_SENT", message: "not sent", isRetryable: true)))
                continue
            }
            do {
                var answer = try await send(change, context)
                if fault == .sendsCreationsAgain, change.kind == .create, answer.status == 413 {
                    answer = try await send(change, context)
                }
                outcomes.append(outcome(answer, change))
            } catch {
                let known = error as? SoupError
                if known?.delivery == .notSent {
                    if outcomes.isEmpty, fault == .none { throw error }
                    outcomes.append(unsent)
                } else if fault == .throwsOnLostAnswer {
                    throw error
                } else {
                    outcomes.append(
                        fault == .calmsDownOnLostAnswer ? .skipped : .unknown(.init(code: "LOST", message: "lost")))
                }
                isCutOff = true
            }
        }
        if fault == .throwsOnRefusal, outcomes.contains(where: { $0.result != .ok }) {
            throw SoupError(.server, "refused")
        }
        if fault == .dropsAnOutcome { outcomes = outcomes.dropLast() }
        return fault == .turnsOutcomesAround ? outcomes.reversed() : outcomes
    }

    private func send(_ change: RecordChange, _ context: SyncContext) async throws -> HTTPAnswer {
        let path = "/r/\(change.entryId)"
        switch change.kind {
        case .delete: return try await context.send(.delete, path)
        case .create where fault == .callsCreationsRepeatable:
            return try await context.send(.post, "/r", json: change.record)
        default: return try await context.send(.put, path, json: change.record)
        }
    }

    private var unsent: PushOutcome {
        fault == .unknownWhenUnsent
            ? .unknown(.init(code: "LOST", message: "lost"))
            : .failed(.init(code: "NOT_SENT", message: "x", isRetryable: fault != .calledFinalWhenUnsent))
    }

    private func outcome(_ answer: HTTPAnswer, _ change: RecordChange) -> PushOutcome {
        let isGone = fault == .saysGone || fault == .takesEach404ForGone && answer.status == 404
        if fault == .takesEachStatusForARefusal || isGone && fault == .takesEach404ForGone, !answer.isSuccess {
            return .failed(PushFailure(code: "HTTP_\(answer.status)", message: "refused", isGone: isGone))
        }
        guard let body = try? JSONValue(parsing: answer.body), answer.isSuccess || body["code"] != nil else {
            return .unknown(PushFailure(code: "LOST", message: "what came cannot be read"))
        }
        guard answer.isSuccess else {
            let isGone = isGone || fault == .trustsWrongPaths && body["code"] == "NO_SUCH_PATH"
            return .failed(PushFailure(code: "REFUSED", message: "refused", isGone: isGone))
        }
        let id = fault == .givesOneIdTwice ? "same" : body["id"]?.stringValue
        if fault != .takesAnyId, fault != .hasNoIds, fault != .givesOneIdTwice, change.kind == .create,
            !(id.map(ServerId.isPossible) ?? false)
        {
            return .unknown(PushFailure(code: "LOST", message: "what came has no id"))
        }
        return .ok(
            serverId: fault == .hasNoIds ? nil : id, modificationDate: fault == .writesDatesItsOwnWay ? "today" : nil)
    }

    var tellsServerStates: Bool { fault != .hidesThatItTellsStates }
    var maxBatchSize: Int { fault == .takesOneAtATime ? 1 : 200 }
    func isIdempotent(_ creation: RecordChange) -> Bool { true }

    func serverStates(of changes: [RecordChange], in context: SyncContext) async throws -> [ServerState] {
        if fault == .asksForNoState { return changes.map { _ in .unknown } }
        let answer = try await context.send(.get, "/states")
        if answer.status == 404 {
            let isOwn = (try? answer.json())?["code"] != nil
            return changes.map { _ in
                fault == .takesEach404ForDeleted || fault == .trustsWrongPaths && isOwn ? .deleted : .unknown
            }
        }
        guard fault != .guessesStates else { return changes.map { _ in .deleted } }
        guard answer.isSuccess, (try? answer.json())?["id"] != nil else { return changes.map { _ in .unknown } }
        return changes.map { _ in .deleted }
    }

    func findCreated(_ changes: [RecordChange], in context: SyncContext) async throws -> [String?] {
        if fault == .looksNothingUp, !changes.isEmpty { throw SoupError(.notSupported, "no") }
        var ids: [String?] = []
        for change in changes {
            do {
                let answer = try await context.send(.get, "/r/\(change.entryId)")
                let json = try answer.json()
                guard answer.isSuccess || json["code"] == "NO_READING" else { throw answer.failure(of: "GET", "/r") }
                ids.append(fault == .findsNothing ? nil : json["id"]?.stringValue)
            } catch let error as SoupError where fault == .takesSilenceForAbsence {
                _ = error
                ids.append(nil)
            }
        }
        return ids
    }
}

extension ReadingsUpTarget {
    func serverRecords(of changes: [RecordChange], in context: SyncContext) async throws -> [JSONText?] {
        guard fault != .fetchesNothing else { throw SoupError(.notSupported, "no") }
        var records: [JSONText?] = []
        for change in changes {
            let answer = try? await context.send(.get, "/r/\(change.entryId)")
            guard let answer, answer.isSuccess, (try? answer.json()) != nil else {
                guard fault != .takesSilenceForNoRecord else {
                    records.append(nil)
                    continue
                }
                throw SoupError(.server, "no record")
            }
            let number = fault == .readsItsOwnWay ? "\"no. \(change.entryId)\"" : "\(change.entryId)"
            let field = fault == .namesItsOwnWay ? "no" : "number"
            let date = fault == .readsNoDate ? "" : #","LastModifiedDate":"\#(Timestamp.format(0))""#
            records.append(fault == .findsNoRecord ? nil : try JSONText(#"{"\#(field)":\#(number)\#(date)}"#))
        }
        let isShort = fault == .dropsARecord || fault == .dropsARecordOfUpdates && changes[0].kind == .update
        return isShort ? records.dropLast() : records
    }
}

/// A server that holds readings under their numbers; a POST makes one more each time.
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

    @Test func `A good target passes`() async throws {
        #expect(try await suite(.none).violations() == [])
    }

    @Test(arguments: [
        (UpFault.asksForNothing, "an empty batch makes 1 request(s): return no outcome and send nothing"),
        (.dropsAnOutcome, "2 outcomes for 3 changes: return one for each change, in their order"),
        (.hasNoIds, "created, and no id: give the outcome the serverId that the server told"),
        (.givesOneIdTwice, "two records have one id"),
        (.turnsOutcomesAround, "the outcomes say it refused [2]: return .failed for the change that was refused"),
        (
            .throwsOnRefusal,
            "the server refuses change 0 of 3 (create), and push threw SoupError server (\"refused\"): a refusal is an "
                + "outcome and no error, so return .failed with code, message and fields"
        ),
        (
            .throwsOnLostAnswer,
            "request 1 of 3 (create): the answer was lost after the server took the changes, and push threw SoupError "
                + "network (\"the connection broke: lost by the test\"): return .unknown for the changes that the request "
                + "covered; an error would say that none was sent"
        ),
        (
            .throwsOnLostAnswer,
            "the exchange was cancelled after the server took the changes, and push threw CancellationError: return "
        ),
        (
            .throwsOnLostAnswer,
            "the connection broke, and nobody can know whether the server took the changes, and push"
        ),
        (.calmsDownOnLostAnswer, "and no outcome is unknown, [\".skipped\", \".failed (NOT_SENT not sent"),
        (.calledFinalWhenUnsent, "the failure is not called retryable: let the transport's error through"),
        (.unknownWhenUnsent, "the request was not sent, and that is certain, and an outcome is unknown"),
        (.writesDatesItsOwnWay, "the modification date today is not ISO 8601: write it as Timestamp.format does"),
        (.guessesStates, "the server cannot tell its states, and serverStates says"),
        (.saysGone, "the failure says that the record is gone: set isGone only when"),
        (
            .callsCreationsRepeatable,
            "pushed twice, and the server has 3 record(s) more: send what the server recognises"
        ),
        (.callsCreationsRepeatable, "have other ids the second time"),
        (.findsNothing, "just took as [\"r1\", \"r2\", \"r3\"], and found [\"none\", \"none\", \"none\"]"),
        (
            .takesSilenceForAbsence,
            "findCreated says that it has no such record, which would be made a second time: throw"
        ),
        (.looksNothingUp, "the target has a findCreated, and it was not tested"),
        (.dropsARecord, "serverRecords has 2 records for 3 changes: return one for each"),
        (.dropsARecordOfUpdates, "serverRecords has 2 records for 3 updates: return one for each"),
        (.findsNoRecord, "just took as r1, and says that there is none: return it"),
        (
            .takesSilenceForNoRecord,
            "and serverRecords says that it has no such record, which would look deleted there: throw"
        ),
        (.readsItsOwnWay, "serverRecords tells other values of r1 in number than push just sent: return them as"),
        (.namesItsOwnWay, "serverRecords tells none of the fields of r1 that push just sent"),
        (.readsNoDate, "serverRecords tells no modification date of r1 in LastModifiedDate: add it"),
        (.hidesThatItTellsStates, "serverStates tells states, and tellsServerStates is false"),
        (.asksForNoState, "tellsServerStates is true, and serverStates told no state"),
        (.takesOneAtATime, "a batch given to the suite has 3 changes, and maxBatchSize is 1: give smaller batches"),
    ])
    func `Each fault is found`(fault: UpFault, violation: String) async throws {
        let violations = try await suite(fault).violations()
        #expect(violations.contains { $0.contains(violation) }, "\(violations)")
    }

    /// Answers that are not the server's, and what targets take them for.
    private static let foreign: [(UpFault, String)] = [
        (
            .takesEach404ForGone,
            "request 1 of 3 (delete): the server took the changes, and a gateway answered with HTTP 404 with a page of HTML, "
                + "and the failure says that the record is gone: set isGone only when the server says so in its own form"
        ),
        (
            .takesEach404ForGone,
            "request 2 of 3 (update): the server took the changes, and a gateway answered with HTTP 404 with an empty body, "
                + "and the failure says that the record is gone"
        ),
        (
            .takesEachStatusForARefusal,
            "request 1 of 3 (create): the server took the changes, and a gateway answered with HTTP 302 with an empty body, "
                + "and no outcome is unknown, "
        ),
        (.takesEachStatusForARefusal, "HTTP 408 with a page of HTML, and no outcome is unknown, "),
        (
            .sendsCreationsAgain,
            "a gateway answered with HTTP 413 with a page of HTML, and push made 4 requests in place of 3: do not send "
                + "creations again in the same push, which makes a second record"
        ),
        (
            .takesAnyId,
            "the server took creations, and its answer has \"\" for each ID, and an outcome is .ok with \"\": return .unknown "
                + "for a creation without an ID that the server can give (ServerId.isPossible)"
        ),
        (
            .takesAnyId,
            "its answer has \"local_1\" for each ID, and an outcome is .ok with \"local_1\": return .unknown"
        ),
        (
            .takesEach404ForDeleted,
            "a gateway answered the question for states with HTTP 404 with a page of HTML, and serverStates says"
        ),
        (
            .trustsWrongPaths,
            "the server answers every request as for a wrong path, and push says that a record is gone: ask for something "
                + "that exists on the right path before a record counts as gone"
        ),
        (
            .trustsWrongPaths,
            "the server answers every request as for a wrong path, and serverStates says that a record is deleted"
        ),
    ]

    @Test(arguments: foreign) func `Answers of others are not believed`(fault: UpFault, violation: String) async throws
    {
        let violations = try await suite(fault).violations()
        #expect(violations.contains { $0.contains(violation) }, "\(violations)")
    }

    /// Somebody who reads one sentence and nothing else must know what to do.
    @Test(arguments: UpFault.allCases)
    func `Every violation says what to do`(fault: UpFault) async throws {
        for violation in try await suite(fault).violations() {
            #expect(violation.contains(": ") && !violation.contains("Fault"), "\(violation)")
        }
    }

    @Test func `What was not tested is told`() async throws {
        var suite = try suite(.none, kinds: [.create])
        suite.recordCount = nil
        let violations = await suite.violations()
        #expect(
            violations.map { String($0.prefix { $0 != ":" }) } == [
                "no batch of kind update was given to the suite, so it was not tested",
                "no batch of kind delete was given to the suite, so it was not tested",
                "isIdempotent says that creations can be pushed twice, and that was not tested",
            ])
        suite = try self.suite(.none, kinds: [.update, .delete])
        #expect(
            await suite.violations().map { String($0.prefix { $0 != ":" }) } == [
                "no batch of kind create was given to the suite, so it was not tested",
                "the target has a findCreated, and it was not tested",
            ])
    }

    @Test func `Fetching may be left out`() async throws {
        #expect(try await suite(.fetchesNothing).violations() == [])
    }

    @Test func `Looking up may be left out`() async throws {
        var suite = try suite(.looksNothingUp)
        suite.withoutLookups = true
        #expect(await suite.violations() == [])
    }
}
