// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupSalesforce
import SoupCore
import SoupTesting
import Testing

@Suite struct PushLedgerTests {
    private let ok = HTTPAnswer("{}")

    @Test func `An error before the first request is thrown`() async throws {
        for error in [SoupError.network(.notSent, "x"), SoupError(.sessionExpired, "x")] {
            var ledger = PushLedger(count: 2)
            await #expect(throws: SoupError.self) { _ = try await ledger.exchange(for: [0]) { throw error } }
            #expect(!ledger.hasReachedServer)
        }
    }

    @Test func `After a response the remaining changes are not sent`() async throws {
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

    @Test func `A lost response makes the outcome unknown`() async throws {
        let tooLong = SoupError("answerTooLong", "too long", cause: NetworkFailure(.unknown, "too long"))
        for error: any Error in [SoupError.network(.unknown, "reset"), CancellationError(), tooLong] {
            var ledger = PushLedger(count: 2)
            #expect(try await ledger.exchange(for: [0]) { throw error }?.status == nil)
            #expect(ledger.finished().map { $0.dump[0].prefix(9) } == ["unknown A", "not sent:"])
        }
    }

    @Test func `A server that refuses every request ends the push`() async throws {
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

    /// A gateway may respond before or after the server has carried out the request.
    @Test(arguments: [302, 307, 400, 401, 403, 404, 408, 413, 429, 500, 502, 503, 504])
    func `A gateway's response makes the outcome unknown`(status: Int) async throws {
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

    @Test func `The description of a foreign response contains advice`() {
        #expect(
            HTTPAnswer(status: 404, "").foreignDescription
                == "HTTP 404 with an empty body is not a response of the Salesforce API; check the URL of the instance, the "
                + "apiVersion, and any gateway in between")
        #expect(HTTPAnswer(status: 413, "<html>").foreignDescription.hasSuffix("lower maxBatchSize"))
    }

    @Test(arguments: [0, 1]) func `A stopped push sends no further request`(afterRequests count: Int) async throws {
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

    @Test func `Cancellation before the first request is thrown`() async throws {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            var ledger = PushLedger(count: 1)
            _ = try await ledger.exchange(for: [0]) { HTTPAnswer("{}") }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
