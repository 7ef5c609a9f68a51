// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import SoupCore
import Synchronization
import Testing

@testable import SoupSQLite

/// The checks, with signals and numbers of the test in place of a file.
@Suite(.timeLimit(.minutes(1))) struct ForeignChangesTests {
    /// A signal that the test sends, and the numbers that a check reads.
    private final class Source: CommitSignal {
        private struct Listener: Sendable {
            let queue: DispatchQueue
            let body: @Sendable () -> Void
        }

        private final class Listening: CommitListener {}

        private let listener = Mutex<Listener?>(nil)
        /// The results of the next checks; the last one repeats.
        private let results: Mutex<[Result<[SoupName: Int64]?, SoupError>]>
        private let count = Mutex(0)

        /// The number of reads.
        var reads: Int { count.withLock { $0 } }

        init(_ numbers: [SoupName: Int64]) { results = Mutex([.success(numbers)]) }

        func send() {
            listener.withLock { $0 }.map { listener in listener.queue.async { listener.body() } }
        }

        func listen(on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) -> any CommitListener {
            listener.withLock { $0 = Listener(queue: queue, body: body) }
            return Listening()
        }

        func set(_ next: Result<[SoupName: Int64]?, SoupError>...) { results.withLock { $0 = next } }

        /// Waits until all signals that were sent have been received.
        func waitForSignals() { listener.withLock { $0 }?.queue.sync {} }

        @Sendable func read() throws -> [SoupName: Int64]? {
            count.withLock { $0 += 1 }
            return try results.withLock { results in
                defer { if results.count > 1 { results.removeFirst() } }
                return try results[0].get()
            }
        }
    }

    private let source = Source(["a": 1])
    private let observers = ChangeObservers()
    private let numbers = WriteNumbers()
    /// Not the default one, because its notifications suspend the stores of other tests.
    private let center = NotificationCenter()
    private let changes: ForeignChanges

    init() {
        changes = ForeignChanges(
            observers: observers, numbers: numbers, signal: source, center: center, read: source.read)
    }

    private func observe(_ soups: Set<SoupName>) -> AsyncStream<StoreChange>.Iterator {
        let stream = observers.changes(in: soups) { [weak changes] in changes?.updateListening() }
        changes.updateListening()
        return stream.makeAsyncIterator()
    }

    /// Sets the numbers and sends a signal; the next report shows that earlier checks reported nothing.
    private func checked(_ soups: [SoupName: Int64]) {
        source.set(.success(soups))
        source.send()
    }

    @Test func `Only new numbers of other stores are reported`() async {
        var changes = observe(["a", "b", "c"])
        // Without a change, and with a write of this store.
        checked(["a": 1])
        checked(["a": numbers.next()])
        checked(["a": numbers.next(), "d": 9])
        checked(["a": numbers.next(), "b": 5, "d": 9])
        #expect(await changes.next()?.soups == ["b"])
        // Soups that other stores have removed.
        checked(["d": 9])
        #expect(await changes.next()?.soups == ["a", "b"])
        checked(["a": 1, "c": 2])
        #expect(await changes.next()?.soups == ["a", "c"])
    }

    @Test func `A removal by the store itself is not reported`() async {
        var changes = observe(["a", "b"])
        self.changes.beginRemoval(of: ["a"])
        self.changes.endRemoval(of: ["a"], isCommitted: true)
        checked(["b": 2])
        #expect(await changes.next()?.soups == ["b"])
    }

    @Test(arguments: [true, false]) func `A check between a removal and its end reports nothing`(
        isCommitted: Bool
    ) async {
        var changes = observe(["a", "b"])
        self.changes.beginRemoval(of: ["a"])
        if isCommitted { checked([:]) }
        source.waitForSignals()
        self.changes.endRemoval(of: ["a"], isCommitted: isCommitted)
        checked(isCommitted ? ["b": 2] : ["a": 1, "b": 2])
        #expect(await changes.next()?.soups == ["b"])
        // A removal by another store is reported again.
        checked(["a": 3, "b": 2])
        #expect(await changes.next()?.soups == ["a"])
        checked(["b": 2])
        #expect(await changes.next()?.soups == ["a"])
    }

    @Test func `A check without a free connection is repeated`() async {
        var changes = observe(["a"])
        source.set(.success(nil), .success(nil), .success(["a": 2]))
        source.send()
        #expect(await changes.next()?.soups == ["a"])
    }

    @Test func `Unknown numbers report all observed soups`() async {
        // At the beginning, and for a check that fails.
        source.set(.success(nil), .success(["a": 1]))
        var changes = observe(["a", "b"])
        #expect(await changes.next()?.soups == ["a", "b"])
        source.set(.failure(SoupError(.storeUnusable, "busy")))
        source.send()
        #expect(await changes.next()?.soups == ["a", "b"])
        checked(["a": 1])
        #expect(await changes.next()?.soups == ["a", "b"])
        checked(["a": 2])
        #expect(await changes.next()?.soups == ["a"])
    }

    @Test func `A suspended store reads nothing`() async {
        var changes = observe(["a", "b"])
        center.post(name: Database.suspendNotification, object: nil)
        checked(["a": 2])
        checked(["a": 2, "b": 2])
        source.waitForSignals()
        #expect(source.reads == 1)
        // The numbers are compared at the end of the suspension, without a signal.
        center.post(name: Database.resumeNotification, object: nil)
        #expect(await changes.next()?.soups == ["a", "b"])
        checked(["a": 3, "b": 2])
        #expect(await changes.next()?.soups == ["a"])
    }

    @Test func `An observer that begins during a suspension reads nothing`() async {
        center.post(name: Database.suspendNotification, object: nil)
        var changes = observe(["a", "b"])
        checked(["a": 2])
        source.waitForSignals()
        #expect(source.reads == 0)
        center.post(name: Database.resumeNotification, object: nil)
        // It is unknown which soups changed.
        #expect(await changes.next()?.soups == ["a", "b"])
        checked(["a": 3])
        #expect(await changes.next()?.soups == ["a"])
    }

    @Test func `The store listens while it has observers`() async throws {
        #expect(!changes.isListening)
        do {
            let first = observe(["a"])
            let second = observe(["b"])
            #expect(changes.isListening)
            _ = first
            _ = second
        }
        while changes.isListening {
            try Task.checkCancellation()
            await Task.yield()
        }
        let third = observe([])
        #expect(changes.isListening)
        changes.close()
        #expect(!changes.isListening)
        _ = third
        let late = observe(["a"])
        #expect(!changes.isListening)
        _ = late
    }

    @Test func `Every write of a store has another number`() {
        let other = WriteNumbers()
        let own = (0..<10).map { _ in numbers.next() }
        #expect(Set(own).count == 10 && own.allSatisfy { numbers.contains($0) && !other.contains($0) && $0 > 0 })
    }

    @Test func `Without notifications, a timer causes the checks`() async {
        let (signals, continuation) = AsyncStream.makeStream(of: Void.self)
        let queue = DispatchQueue(label: "ForeignChangesTests")
        let listener = TimerListener(interval: .milliseconds(1), on: queue) { continuation.yield() }
        var received = signals.makeAsyncIterator()
        for _ in 0..<3 { await received.next() }
        withExtendedLifetime(listener) {}
    }
}
