// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore
import Testing

@testable import SoupKit

@Suite(.timeLimit(.minutes(15))) struct URLSessionExchangesTests {
    private let exchanges = URLSessionExchanges(TransportLimits(maximumAnswerBytes: 10))

    private func answer(_ status: Int) -> HTTPAnswer {
        HTTPAnswer(HTTPResponse(status: .init(code: status)), body: [])
    }

    private func wait(for task: Int, then: () -> Void = {}) async throws -> Int {
        try await withCheckedThrowingContinuation { continuation in
            if exchanges.wait(for: task, continuation) { then() }
        }.status
    }

    @Test func `The end of a task is kept until a caller waits for it`() async throws {
        exchanges.register(1)
        exchanges.end(1, .failure(CancellationError()))
        exchanges.end(1, .success(answer(200)))
        await #expect(throws: CancellationError.self) {
            _ = try await wait(for: 1) { Issue.record("a task that has ended must not be started") }
        }
    }

    @Test func `Only the first end counts`() async throws {
        exchanges.register(1)
        let status = try await wait(for: 1) {
            exchanges.end(1, .success(answer(201)))
            exchanges.end(1, .failure(CancellationError()))
        }
        #expect(status == 201)
    }

    @Test func `Tasks are independent`() async throws {
        exchanges.register(1)
        exchanges.register(2)
        exchanges.end(2, .success(answer(202)))
        let first = try await wait(for: 1) { exchanges.end(1, .success(answer(201))) }
        #expect(first == 201)
        #expect(try await wait(for: 2) == 202)
    }
}
