// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Synchronization
import Testing

@testable import SoupSync

@Suite struct SyncObservationTests {
    /// An observer that calls its work any number of times.
    private struct CallingObserver: SyncObserver {
        let calls: Int
        let results = Results()

        final class Results: Sendable {
            let all = Mutex<[SyncActivityResult]>([])
        }

        func observe(_ activity: SyncActivity, _ work: () async -> SyncActivityResult) async {
            for _ in 0..<calls {
                let result = await work()
                results.all.withLock { $0.append(result) }
            }
        }
    }

    private static func observation(_ observer: any SyncObserver) -> SyncObservation? {
        SyncObservation(
            observer: observer,
            definition: SyncDefinition(name: "down", type: .syncDown, soup: "contacts", target: .init([:])),
            target: "soql",
            masked: { error in (error as? SoupError)?.message == "secret" ? SoupError("masked", "***") : error })
    }

    @Test(arguments: [0, 1, 2])
    func `Work is done once, however often it is called`(calls: Int) async throws {
        let observer = CallingObserver(calls: calls)
        var count = 0
        let value = try await Self.observation(observer).measuring(.push) {
            count += 1
            return 5
        } describe: { value, result in
            if case .success(let value) = value { result.records[.accepted] = value }
        }
        #expect(value == 5)
        #expect(count == 1)
        let results = observer.results.all.withLock { $0 }
        #expect(results.map(\.records) == Array(repeating: [.accepted: 5], count: calls))
    }

    @Test(arguments: [0, 1, 2])
    func `An error is passed on, and observed without secrets`(calls: Int) async throws {
        let observer = CallingObserver(calls: calls)
        let error = await #expect(throws: SoupError.self) {
            try await Self.observation(observer).measuring(.request) { throw SoupError("test", "secret") }
        }
        #expect(error == SoupError("test", "secret"))
        let results = observer.results.all.withLock { $0 }
        #expect(
            results == Array(repeating: SyncActivityResult(.failed, error: SoupError("masked", "***")), count: calls))
    }

    @Test(arguments: [
        (CancellationError() as any Error, SyncActivityResult.Outcome.stopped),
        (SoupError(.sessionExpired, "x"), .waitingForLogin), (SoupError(.server, "x"), .failed),
        (JSONError(.unexpectedEnd, at: 0), .failed),
    ])
    func `The outcome depends on the error`(error: any Error, outcome: SyncActivityResult.Outcome) {
        #expect(SyncActivityResult(error).outcome == outcome)
    }

    @Test func `Without an observer only the work is done`() async throws {
        var isConfigured = false
        let value = try await SyncObservation?.none.measuring(.run) { _ in
            isConfigured = true
        } _: {
            5
        } describe: { _, _ in
            isConfigured = true
        }
        #expect(value == 5 && !isConfigured)
    }
}
