// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

@testable import SoupMemory
import SoupCore
import Synchronization
import Testing

/// Writes one after another, reads beside them, and what becomes of those whose task is cancelled.
@Suite struct TurnTests {
    @Test func `Many writers lose nothing`() async throws {
        let store = try await MemoryStore.withSoup()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<20 {
                group.addTask {
                    for round in 0..<20 { try await store.add(#"{"k":"\#(writer)","n":\#(round)}"#) }
                }
                group.addTask {
                    for _ in 0..<20 {
                        let pair = try await store.read { (try $0.count(.all("s")), try $0.count(.all("s"))) }
                        #expect(pair.0 == pair.1)
                    }
                }
            }
            try await group.waitForAll()
        }
        let ids = try await store.read { try $0.query(.all("s", pageSize: 1000)).entries.map(\.id) }
        #expect(ids == Array(1...400))
    }

    @Test func `Turns come in the order of waiting`() async throws {
        let turns = WriteTurns()
        let order = Order()
        try await turns.take()
        var waiting: [Task<Void, any Error>] = []
        for number in 0..<5 {
            let task = Task {
                try await turns.take()
                order.append(number)
                turns.pass()
            }
            while turns.waitingCount <= number { await Task.yield() }
            waiting.append(task)
        }
        turns.pass()
        for task in waiting { try await task.value }
        #expect(order.numbers == Array(0..<5))
    }

    /// The turn is never passed on before the end of the wait is seen.
    @Test func `Cancelling while waiting ends the wait`() async throws {
        let turns = WriteTurns()
        try await turns.take()
        let waiting = Task { try await turns.take() }
        while turns.waitingCount < 1 { await Task.yield() }
        let coming = Task { try await turns.take() }
        coming.cancel()
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await coming.value }
        await #expect(throws: CancellationError.self) { try await waiting.value }
        turns.pass()
        try await turns.take()
    }

    @Test func `A task that is cancelled does not write`() async throws {
        let store = try await MemoryStore.withSoup()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await store.add(#"{"k":"a"}"#)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await store.dump() == [])
    }

    @Test func `A read that is cancelled ends at its next question`() async throws {
        let store = try await MemoryStore.withSoup()
        let begun = AsyncStream.makeStream(of: Void.self)
        let reading = Task.detached {
            try await store.read { reader in
                begun.continuation.finish()
                while true { _ = try reader.count(.all("s")) }
            }
        }
        for await _ in begun.stream {}
        reading.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }
    }
}

/// Who came, in order.
final class Order: Sendable {
    private let list = Mutex<[Int]>([])
    var numbers: [Int] { list.withLock { $0 } }
    func append(_ number: Int) { list.withLock { $0.append(number) } }
}
