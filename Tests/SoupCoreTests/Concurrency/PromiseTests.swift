// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Testing

@Suite struct PromiseTests {
    @Test func `Waiting tasks get the first value`() async throws {
        let promise = Promise<Int>()
        let waiting = (0..<20).map { _ in Task { try await promise.wait() } }
        let uncancelled = Task { await promise.waitUncancelled() }
        #expect(promise.current == nil)
        #expect(promise.resolve(1))
        #expect(!promise.resolve(2))
        for task in waiting { #expect(try await task.value == 1) }
        #expect(await uncancelled.value == 1)
        #expect(promise.current == 1)
        #expect(try await promise.wait() == 1)
    }

    @Test func `A cancelled task stops waiting, others go on`() async throws {
        let promise = Promise<Int>()
        let cancelled = Task { try await promise.wait() }
        let other = Task { try await promise.wait() }
        let uncancelled = Task { await promise.waitUncancelled() }
        cancelled.cancel()
        uncancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        promise.resolve(7)
        #expect(try await other.value == 7)
        #expect(await uncancelled.value == 7)
    }

    @Test func `A task that was cancelled before does not wait`() async {
        let promise = Promise<Int>()
        await withTaskGroup(of: Void.self) { group in
            group.cancelAll()
            group.addTask { await #expect(throws: CancellationError.self) { try await promise.wait() } }
        }
    }

    @Test func `Cancellations and values meet at any moment`() async {
        for round in 0..<200 {
            let promise = Promise<Int>()
            let tasks = (0..<4).map { _ in Task { try? await promise.wait() } }
            let resolving = Task { promise.resolve(round) }
            for task in tasks[0..<2] { task.cancel() }
            for task in tasks[2...] { #expect(await task.value == round) }
            for task in tasks[0..<2] { #expect([nil, round].contains(await task.value)) }
            _ = await resolving.value
        }
    }
}
