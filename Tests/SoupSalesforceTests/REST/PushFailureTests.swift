// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupSalesforce
import SoupCore
import SoupTesting
import Testing

@Suite struct PushFailureTests {
    /// What follows from an error: gone, related gone, retryable.
    private func flags(
        _ code: String, _ kind: RecordChange.Kind, status: Int? = nil, fields: [String] = []
    ) -> String {
        PushFailure(SalesforceErrorBody(code: code, message: "m", fields: fields), kind: kind, status: status).dump
    }

    @Test func `In collections the code decides`() {
        #expect(flags("ENTITY_IS_DELETED", .update) == "ENTITY_IS_DELETED m [gone]")
        #expect(flags("INVALID_CROSS_REFERENCE_KEY", .delete) == "INVALID_CROSS_REFERENCE_KEY m [gone]")
        #expect(flags("ENTITY_IS_DELETED", .create) == "ENTITY_IS_DELETED m [related gone]")
        #expect(flags("INVALID_CROSS_REFERENCE_KEY", .create) == "INVALID_CROSS_REFERENCE_KEY m")
        #expect(
            flags("INVALID_CROSS_REFERENCE_KEY", .update, fields: ["OwnerId"])
                == "INVALID_CROSS_REFERENCE_KEY m (OwnerId)")
        #expect(flags("MALFORMED_ID", .update) == "MALFORMED_ID m")
        #expect(flags("UNABLE_TO_LOCK_ROW", .update) == "UNABLE_TO_LOCK_ROW m [retryable]")
        #expect(flags("STRING_TOO_LONG", .update, fields: ["Name"]) == "STRING_TOO_LONG m (Name)")
    }

    @Test func `Elsewhere the status decides`() {
        #expect(flags("ENTITY_IS_DELETED", .update, status: 404) == "ENTITY_IS_DELETED m [gone]")
        #expect(flags("INVALID_CROSS_REFERENCE_KEY", .delete, status: 404) == "INVALID_CROSS_REFERENCE_KEY m [gone]")
        // The API says the same about a wrong version or object: the ledger confirms it.
        #expect(flags("NOT_FOUND", .delete, status: 404) == "NOT_FOUND m")
        #expect(flags("MALFORMED_ID", .update, status: 404) == "MALFORMED_ID m")
        #expect(flags("ENTITY_IS_DELETED", .update, status: 400) == "ENTITY_IS_DELETED m [related gone]")
        #expect(flags("NOT_FOUND", .create, status: 404) == "NOT_FOUND m")
        #expect(flags("INVALID_CROSS_REFERENCE_KEY", .update, status: 400) == "INVALID_CROSS_REFERENCE_KEY m")
        #expect(flags("UNKNOWN_EXCEPTION", .update, status: 500) == "UNKNOWN_EXCEPTION m [retryable]")
    }

    @Test func `Error bodies in all spellings`() {
        func read(_ text: String) -> [SalesforceErrorBody] { SalesforceErrorBody.all(in: Array(text.utf8)) }
        let rest = #"[{"message":"a","errorCode":"B","fields":["C"]},{"errorCode":"D"}]"#
        #expect(read(rest) == [.init(code: "B", message: "a", fields: ["C"]), .init(code: "D", message: "D")])
        #expect(read(#"{"statusCode":"B","message":"a","fields":[]}"#) == [.init(code: "B", message: "a")])
        #expect(read(#"{"error":"b","error_description":"a"}"#) == [.init(code: "b", message: "a")])
        #expect(read("<html>") == [])
        #expect(read("[7]") == [])
    }

    @Test func `Expired cursors are told apart`() {
        func code(_ status: Int, _ body: String) -> SoupError.Code {
            HTTPAnswer(status: status, body).salesforceFailure(of: "it").code
        }
        #expect(
            code(400, #"[{"errorCode":"INVALID_QUERY_LOCATOR","message":"invalid query locator"}]"#) == .cursorExpired)
        #expect(code(400, #"[{"errorCode":"MALFORMED_QUERY","message":"m"}]"#) == .server)
        #expect(code(404, #"[{"errorCode":"NOT_FOUND","message":"m"}]"#) == .objectNotFound)
        #expect(code(502, "<html>") == .server)
        #expect(code(404, #"{"errorCode":"NOT_FOUND","message":"m"}"#) == .server)
        #expect(
            HTTPAnswer(status: 503, "", headers: [.retryAfter: "1"]).salesforceFailure(of: "it").code == .unavailable)
    }
}

@Suite struct PushLedgerTests {
    private let ok = HTTPAnswer("{}")

    @Test func `What never reached the server is thrown`() async throws {
        for error in [SoupError.network(.notSent, "x"), SoupError(.sessionExpired, "x")] {
            var ledger = PushLedger(count: 2)
            await #expect(throws: SoupError.self) { _ = try await ledger.exchange(for: [0]) { throw error } }
            #expect(!ledger.hasReachedServer)
        }
    }

    @Test func `After an answer the rest is reported as not sent`() async throws {
        var ledger = PushLedger(count: 3)
        _ = try await ledger.exchange(for: [0]) { ok }
        ledger.setOutcome(.ok(), at: 0)
        let answer = try await ledger.exchange(for: [1]) { throw SoupError.network(.notSent, "refused") }
        #expect(answer?.status == nil)
        #expect(ledger.isStopped)
        #expect(
            ledger.finished().dump == [
                "ok", "not sent: network the server cannot be reached: refused",
                "not sent: network the server cannot be reached: refused",
            ])
    }

    @Test func `A lost answer leaves its changes unknown`() async throws {
        let tooLong = SoupError("answerTooLong", "too long", cause: NetworkFailure(.unknown, "too long"))
        for error: any Error in [SoupError.network(.unknown, "reset"), CancellationError(), tooLong] {
            var ledger = PushLedger(count: 2)
            #expect(try await ledger.exchange(for: [0]) { throw error }?.status == nil)
            #expect(ledger.finished().map { $0.dump[0].prefix(9) } == ["unknown A", "not sent:"])
        }
    }

    @Test func `A server that refuses everything ends the push`() async throws {
        let limit = #"[{"errorCode":"REQUEST_LIMIT_EXCEEDED","message":"m"}]"#
        let busy = #"[{"errorCode":"SERVER_UNAVAILABLE","message":"m"}]"#
        for answer in [
            HTTPAnswer(status: 503, busy), HTTPAnswer(status: 429, limit), HTTPAnswer(status: 403, limit),
            HTTPAnswer(status: 503, busy, headers: [.retryAfter: "1"]),
        ] {
            var first = PushLedger(count: 1)
            await #expect(throws: SoupError.self) { _ = try await first.exchange(for: [0]) { answer } }
            var second = PushLedger(count: 2)
            _ = try await second.exchange(for: [0]) { ok }
            second.setOutcome(.ok(), at: 0)
            #expect(try await second.exchange(for: [1]) { answer }?.status == nil)
            let refusal = answer.salesforceFailure(of: "the push")
            #expect(second.finished() == [.ok(), .notSent(refusal)])
        }
    }

    /// A gateway may answer while the server goes on working, or after it: the changes may have been made.
    @Test(arguments: [302, 307, 400, 401, 403, 404, 408, 413, 429, 500, 502, 503, 504])
    func `An answer of a gateway leaves its changes unknown`(status: Int) async throws {
        let change = RecordChange(
            .update, soup: "accounts", entryId: 1, serverId: "U1", record: try JSONText(#"{"Id":"U1"}"#))
        for body in ["", "<html>", #"{"error":"upstream","message":"m"}"#, "[]", #"[{"message":"m"}]"#] {
            var ledger = PushLedger(count: 2)
            let gateway = HTTPAnswer(status: status, body, headers: [.retryAfter: "1"])
            let answer = try #require(try await ledger.exchange(for: [0]) { gateway })
            ledger.note(answer, to: [], at: [0], changes: [change], actions: [nil])
            let reason = gateway.foreignDescription
            #expect(
                ledger.finished().dump == [
                    "unknown ANSWER_LOST the outcome is unknown: \(reason)",
                    "not sent: server the response to an earlier request is unusable: \(reason)",
                ])
        }
    }

    @Test func `A foreign answer names a remedy`() {
        #expect(
            HTTPAnswer(status: 404, "").foreignDescription
                == "HTTP 404 with an empty body is not a response of the Salesforce API; check the URL of the instance, the "
                + "apiVersion, and any gateway in between")
        #expect(HTTPAnswer(status: 413, "<html>").foreignDescription.hasSuffix("lower maxBatchSize"))
    }

    @Test(arguments: [0, 1]) func `A push that is stopped sends nothing more`(afterRequests count: Int) async throws {
        let signal = StopSignal()
        let outcomes = try await StopSignal.$current.withValue(signal) {
            var ledger = PushLedger(count: 3)
            for position in 0..<3 {
                if position == count { signal.raise() }
                guard try await ledger.exchange(for: [position], { ok }) != nil else { break }
                ledger.setOutcome(.ok(), at: position)
            }
            return ledger.finished()
        }
        let unsent = PushOutcome.notSent(SoupError("cancelled", "the push was cancelled"))
        #expect(outcomes == Array(repeating: .ok(), count: count) + Array(repeating: unsent, count: 3 - count))
    }

    @Test func `Cancelled before the first request throws`() async throws {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            var ledger = PushLedger(count: 1)
            _ = try await ledger.exchange(for: [0]) { HTTPAnswer("{}") }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
