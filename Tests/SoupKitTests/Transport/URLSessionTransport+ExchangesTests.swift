// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore
import Testing

@testable import SoupKit

@Suite(.timeLimit(.minutes(15))) struct URLSessionTransportExchangesTests {
    private let exchanges = URLSessionExchanges(TransportLimits(maximumAnswerBytes: 10))

    private func answer(_ status: Int) -> HTTPAnswer {
        HTTPAnswer(HTTPResponse(status: .init(code: status)), body: [])
    }

    @Test func `The end of a task is kept until a caller waits for it`() async throws {
        let end = exchanges.register(1)
        exchanges.end(1, .failure(CancellationError()))
        exchanges.end(1, .success(answer(200)))
        // A task that has ended is not started.
        #expect(end.current != nil)
        await #expect(throws: CancellationError.self) { try await end.wait().get() }
    }

    @Test func `Only the first end counts`() async throws {
        let end = exchanges.register(1)
        #expect(end.current == nil)
        exchanges.end(1, .success(answer(201)))
        exchanges.end(1, .failure(CancellationError()))
        #expect(try await end.wait().get().status == 201)
    }

    @Test func `Tasks are independent`() async throws {
        let (first, second) = (exchanges.register(1), exchanges.register(2))
        exchanges.end(2, .success(answer(202)))
        #expect(first.current == nil)
        exchanges.end(1, .success(answer(201)))
        #expect(try await first.wait().get().status == 201)
        #expect(try await second.wait().get().status == 202)
    }
}
