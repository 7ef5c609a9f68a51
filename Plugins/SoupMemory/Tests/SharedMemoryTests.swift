// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

@testable import SoupMemory
import SoupCore
import Testing

/// The order of writes, concurrent reads, and cancelled tasks.
@Suite struct SharedMemoryTests {
    @Test func `Concurrent writes lose nothing`() async throws {
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

    @Test func `A cancelled task does not write`() async throws {
        let store = try await MemoryStore.withSoup()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await store.add(#"{"k":"a"}"#)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await store.dump() == [])
    }

    @Test func `A cancelled read ends at its next query`() async throws {
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
