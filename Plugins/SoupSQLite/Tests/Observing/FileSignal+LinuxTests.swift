// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)

    import Dispatch
    import Foundation
    import Testing

    @testable import SoupSQLite

    @Suite(.timeLimit(.minutes(1))) struct FileSignalLinuxTests {
        private let temporary: TemporaryStore
        private let signal: FileSignal

        init() throws {
            temporary = try TemporaryStore()
            try Data("content".utf8).write(to: URL(filePath: temporary.path))
            signal = FileSignal(path: temporary.path)
        }

        /// Listens while `body` runs; the iterator has an element for each signal that was received.
        private func listening(_ body: (inout AsyncStream<Void>.Iterator) async throws -> Void) async throws {
            let (signals, continuation) = AsyncStream.makeStream(of: Void.self)
            let listener = signal.listen(on: DispatchQueue(label: "FileSignalLinuxTests")) { continuation.yield() }
            var received = signals.makeAsyncIterator()
            try await body(&received)
            withExtendedLifetime(listener) {}
        }

        @Test func `A signal is received each time`() async throws {
            try await listening { received in
                for _ in 1...3 {
                    signal.send()
                    await received.next()
                }
            }
        }

        /// A process that is killed between a commit and its signal closes the file.
        @Test func `Closing the file counts as a signal`() async throws {
            try await listening { received in
                try FileHandle(forWritingTo: URL(filePath: temporary.path)).close()
                await received.next()
            }
        }

        @Test func `Two listeners receive the same signal`() async throws {
            try await listening { first in
                try await listening { second in
                    signal.send()
                    await first.next()
                    await second.next()
                }
            }
        }

        @Test func `A missing file has a timer in place of a watch`() {
            let queue = DispatchQueue(label: "FileSignalLinuxTests")
            #expect(InotifyListener(path: temporary.path + "-missing", on: queue) {} == nil)
            #expect(FileSignal(path: temporary.path + "-missing").listen(on: queue) {} is TimerListener)
            #expect(signal.listen(on: queue) {} is InotifyListener)
        }
    }

#endif
