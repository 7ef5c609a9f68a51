// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupTesting
import Testing

@testable import SoupSalesforce

private let id = "001000000000001AAA"

/// The conditions under which `NOT_FOUND` means that a record is gone.
@Suite struct PushLedgerAnswersTests {
    private let notFound = CompositeSubanswer(
        status: 404, body: [["errorCode": "NOT_FOUND", "message": "m"]], referenceId: "r")

    private func outcomes(
        _ subanswers: [CompositeSubanswer], _ steps: [ScriptedTransport.Step]
    ) async throws -> [String] {
        let changes = try subanswers.indices.map {
            RecordChange(.delete, soup: "s", entryId: Int64($0), serverId: id, record: try JSONText("{}"))
        }
        var ledger = PushLedger(count: changes.count)
        for (position, answer) in subanswers.enumerated() {
            let action = RecordForm.Action(verb: .delete(id: id), type: "Account", members: [])
            ledger.note(answer, at: position, change: changes[position], action: action, date: nil)
        }
        let transport = ScriptedTransport(steps)
        await ledger.confirmGone(
            with: SalesforceClient(
                SyncContext(transport: transport, basePath: "/v", clock: ManualClock(), soup: "s")))
        #expect(transport.violations == [])
        return ledger.finished().dump
    }

    @Test func `Another response about the object confirms it`() async throws {
        let ok = CompositeSubanswer(status: 204, body: .null, referenceId: "r")
        #expect(try await outcomes([notFound, ok], []) == ["failed NOT_FOUND m [gone]", "ok \(id)"])
        let deleted = CompositeSubanswer(
            status: 404, body: [["errorCode": "ENTITY_IS_DELETED", "message": "m"]], referenceId: "r")
        #expect(
            try await outcomes([deleted, notFound], []) == [
                "failed ENTITY_IS_DELETED m [gone]", "failed NOT_FOUND m [gone]",
            ])
    }

    @Test func `Otherwise the server must describe the object`() async throws {
        let described = ScriptedTransport.Step.answer(
            to: "GET /v/sobjects/Account", #"{"objectDescribe":{"name":"Account"}}"#)
        #expect(
            try await outcomes([notFound, notFound], [described]) == [
                "failed NOT_FOUND m [gone]", "failed NOT_FOUND m [gone]",
            ])
        let missing = ScriptedTransport.Step.answer(status: 404, #"[{"errorCode":"NOT_FOUND","message":"m"}]"#)
        #expect(
            try await outcomes([notFound], [missing]) == [
                "failed NOT_FOUND m; the record may exist: the server has no object Account at /v. Check the apiVersion of the "
                    + "session and the sobjectType of the target. [retryable]"
            ])
        for step in [missing, .answer(status: 404, "<html>"), .answer("{}"), .fail(.unknown), .fail(.notSent)] {
            let line = try await outcomes([notFound], [step])[0]
            #expect(
                line.hasPrefix("failed NOT_FOUND m; the record may exist: ") && line.hasSuffix("[retryable]"), "\(line)"
            )
        }
    }
}
