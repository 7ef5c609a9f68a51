// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Synchronization
import Testing

@testable import CurlTransport

@Suite(.timeLimit(.minutes(1))) struct BodyPipeTests {
    private func add(_ count: Int, to pipe: BodyPipe) {
        [UInt8](repeating: 7, count: count).withUnsafeBytes { pipe.add($0) }
    }

    @Test func `A full pipe requests more bytes after a read`() async throws {
        let demands = Mutex(0)
        let pipe = BodyPipe { demands.withLock { $0 += 1 } }
        add(BodyPipe.capacity - 1, to: pipe)
        #expect(!pipe.isFull())
        add(1, to: pipe)
        #expect(pipe.isFull())
        #expect(demands.withLock { $0 } == 0)
        #expect(try await pipe.next()?.count == BodyPipe.capacity)
        #expect(demands.withLock { $0 } == 1)
        #expect(!pipe.isFull())
        #expect(pipe.largest == BodyPipe.capacity)
    }

    @Test func `The reader receives the bytes before the end`() async throws {
        let pipe = BodyPipe {}
        add(3, to: pipe)
        pipe.end(nil)
        pipe.end(CancellationError())
        #expect(try await pipe.next() == [7, 7, 7])
        #expect(try await pipe.next() == nil)
        #expect(try await pipe.next() == nil)
    }

    @Test func `An error ends the body`() async throws {
        let pipe = BodyPipe {}
        add(1, to: pipe)
        pipe.end(SoupError.network(.unknown, "x"))
        #expect(try await pipe.next() == [7])
        await #expect(throws: SoupError.self) { try await pipe.next() }
    }
}
