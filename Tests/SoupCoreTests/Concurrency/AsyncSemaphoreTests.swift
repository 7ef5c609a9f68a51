// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct AsyncSemaphoreTests {
    /// The numbers of the tasks, in the order in which they got a permit.
    private final class Order: Sendable {
        private let list = Mutex<[Int]>([])
        var numbers: [Int] { list.withLock { $0 } }
        func append(_ number: Int) { list.withLock { $0.append(number) } }
    }

    /// The number of tasks that have a permit.
    private final class Usage: Sendable {
        private let state = Mutex((now: 0, largest: 0))
        var now: Int { state.withLock { $0.now } }
        var largest: Int { state.withLock { $0.largest } }

        func begin() {
            state.withLock { state in
                state.now += 1
                state.largest = max(state.largest, state.now)
            }
        }

        func end() { state.withLock { $0.now -= 1 } }
    }

    private func waitUntil(_ count: Int, waitFor semaphore: AsyncSemaphore) async {
        while semaphore.waitingCount != count { await Task.yield() }
    }

    /// Returns the number of permits that can be acquired without waiting, and releases them.
    private func permits(of semaphore: AsyncSemaphore) async throws -> Int {
        var count = 0
        while true {
            let task = Task { try await semaphore.wait() }
            // The task acquires a permit, or it waits until it is cancelled.
            let watcher = Task {
                while !Task.isCancelled {
                    if semaphore.waitingCount > 0 { task.cancel() }
                    await Task.yield()
                }
            }
            defer { watcher.cancel() }
            do { try await task.value } catch { break }
            count += 1
        }
        for _ in 0..<count { semaphore.signal() }
        return count
    }

    @Test func `Calls return at once while there are permits`() async throws {
        let semaphore = AsyncSemaphore(permits: 2)
        try await semaphore.wait()
        try await semaphore.wait()
        let third = Task { try await semaphore.wait() }
        await waitUntil(1, waitFor: semaphore)
        semaphore.signal()
        try await third.value
        #expect(semaphore.waitingCount == 0)
        #expect(try await permits(of: semaphore) == 0)
    }

    @Test func `A signal before a wait is kept`() async throws {
        let semaphore = AsyncSemaphore(permits: 0)
        semaphore.signal()
        semaphore.signal()
        try await semaphore.wait()
        try await semaphore.wait()
        #expect(try await permits(of: semaphore) == 0)
    }

    @Test func `Tasks get permits in the order of their calls`() async throws {
        let semaphore = AsyncSemaphore(permits: 1)
        let order = Order()
        try await semaphore.wait()
        var waiting: [Task<Void, any Error>] = []
        for number in 0..<5 {
            let task = Task { try await semaphore.withPermit { order.append(number) } }
            await waitUntil(number + 1, waitFor: semaphore)
            waiting.append(task)
        }
        semaphore.signal()
        for task in waiting { try await task.value }
        #expect(order.numbers == Array(0..<5))
        #expect(try await permits(of: semaphore) == 1)
    }

    @Test func `A cancelled task stops waiting, others go on`() async throws {
        let semaphore = AsyncSemaphore(permits: 0)
        let first = Task { try await semaphore.wait() }
        await waitUntil(1, waitFor: semaphore)
        let second = Task { try await semaphore.wait() }
        await waitUntil(2, waitFor: semaphore)
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        await waitUntil(1, waitFor: semaphore)
        semaphore.signal()
        try await second.value
        #expect(try await permits(of: semaphore) == 0)
    }

    /// The permit is released only after both waits have ended.
    @Test func `A task that is cancelled as it begins to wait stops`() async throws {
        let semaphore = AsyncSemaphore(permits: 1)
        try await semaphore.wait()
        let waiting = Task { try await semaphore.wait() }
        await waitUntil(1, waitFor: semaphore)
        let joining = Task { try await semaphore.wait() }
        joining.cancel()
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await joining.value }
        await #expect(throws: CancellationError.self) { try await waiting.value }
        semaphore.signal()
        try await semaphore.wait()
        #expect(semaphore.waitingCount == 0)
    }

    @Test func `A task that was cancelled before takes no permit`() async throws {
        let semaphore = AsyncSemaphore(permits: 1)
        await withTaskGroup(of: Void.self) { group in
            group.cancelAll()
            group.addTask { await #expect(throws: CancellationError.self) { try await semaphore.wait() } }
        }
        #expect(try await permits(of: semaphore) == 1)
    }

    @Test func `A permit is released after an error`() async throws {
        struct Failure: Error {}
        let semaphore = AsyncSemaphore(permits: 1)
        await #expect(throws: Failure.self) { try await semaphore.withPermit { throw Failure() } }
        #expect(try await semaphore.withPermit { 7 } == 7)
    }

    @Test func `Random cancellations lose no permits`() async throws {
        for permits in 1...3 {
            let semaphore = AsyncSemaphore(permits: permits)
            let usage = Usage()
            for _ in 0..<50 {
                let tasks = (0..<20).map { _ in
                    Task {
                        try await semaphore.withPermit {
                            usage.begin()
                            await Task.yield()
                            usage.end()
                        }
                    }
                }
                for task in tasks where Bool.random() {
                    await Task.yield()
                    task.cancel()
                }
                for task in tasks { _ = await task.result }
            }
            #expect(semaphore.waitingCount == 0)
            #expect(usage.now == 0)
            #expect(usage.largest <= permits)
            #expect(try await self.permits(of: semaphore) == permits)
        }
    }

    @Test func `A signal and a cancellation meet at any moment`() async throws {
        for _ in 0..<200 {
            let semaphore = AsyncSemaphore(permits: 0)
            let tasks = (0..<2).map { _ in Task { try await semaphore.wait() } }
            let signalling = Task { semaphore.signal() }
            tasks[0].cancel()
            if case .success = await tasks[0].result { semaphore.signal() }
            // The second task gets the permit that the first one did not take, or released.
            try await tasks[1].value
            await signalling.value
            #expect(try await permits(of: semaphore) == 0)
        }
    }
}
