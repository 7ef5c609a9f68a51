// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore
import SoupTesting
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
}

/// A target that puts readings one by one, with one fault to choose.
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
                outcomes.append(
                    outcome(try await context.send(.put, "/r/\(change.entryId)", json: change.record), change))
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

    private var unsent: PushOutcome {
        fault == .unknownWhenUnsent
            ? .unknown(.init(code: "LOST", message: "lost"))
            : .failed(.init(code: "NOT_SENT", message: "x", isRetryable: fault != .calledFinalWhenUnsent))
    }

    private func outcome(_ answer: HTTPAnswer, _ change: RecordChange) -> PushOutcome {
        guard let body = try? JSONValue(parsing: answer.body) else {
            return .unknown(PushFailure(code: "LOST", message: "what came cannot be read"))
        }
        guard answer.isSuccess else {
            return .failed(PushFailure(code: "REFUSED", message: "refused", isGone: fault == .saysGone))
        }
        let id = fault == .givesOneIdTwice ? "same" : body["id"]?.stringValue
        return .ok(
            serverId: fault == .hasNoIds ? nil : id, modificationDate: fault == .writesDatesItsOwnWay ? "today" : nil)
    }

    func serverStates(of changes: [RecordChange], in context: SyncContext) async throws -> [ServerState] {
        let answer = try await context.send(.get, "/states")
        if !answer.isSuccess, fault != .guessesStates { return changes.map { _ in .unknown } }
        return changes.map { _ in .deleted }
    }
}

@Suite struct SyncUpTargetSuiteTests {
    private func violations(_ fault: UpFault) async throws -> [String] {
        let changes = try (1...3).map {
            RecordChange(.create, soup: "readings", entryId: $0, record: try JSONText(#"{"number":\#($0)}"#))
        }
        return await SyncUpTargetSuite(
            ReadingsUpTarget.self, configuration: #"{"fault":"\#(fault.rawValue)"}"#, batches: [changes]
        ) { request, refused in
            let number = request.json?["number"]?.intValue
            return refused.contains { $0.entryId == number }
                ? HTTPAnswer(status: 400, "[]") : HTTPAnswer(status: 201, #"{"id":"r\#(number ?? 0)"}"#)
        }.violations()
    }

    @Test func aGoodTargetPasses() async throws {
        #expect(try await violations(.none) == [])
    }

    @Test(arguments: [
        (UpFault.asksForNothing, "an empty batch makes 1 request(s)"), (.dropsAnOutcome, "2 outcomes for 3 changes"),
        (.hasNoIds, "created, and no id"), (.givesOneIdTwice, "two records have one id"),
        (.turnsOutcomesAround, "the outcomes say it refused [2]"),
        (.throwsOnRefusal, "the server refuses change 0 of 3"),
        (.throwsOnLostAnswer, "lostAnswer: the connection broke"), (.calmsDownOnLostAnswer, "no outcome is unknown"),
        (.calledFinalWhenUnsent, "the failure is not called retryable"),
        (.unknownWhenUnsent, "it was certainly not sent, and the outcome is unknown"),
        (.writesDatesItsOwnWay, "the modification date today is not ISO 8601"),
        (.guessesStates, "the server cannot tell its states"), (.saysGone, "the failure says that the record is gone"),
    ])
    func eachFaultIsFound(fault: UpFault, violation: String) async throws {
        let violations = try await violations(fault)
        #expect(violations.contains { $0.contains(violation) }, "\(violations)")
    }
}
