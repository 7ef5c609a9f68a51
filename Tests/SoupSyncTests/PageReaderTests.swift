// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupCore
import SoupTesting
import Synchronization
import Testing

@testable import SoupSync

/// What is asked for when.
@Suite struct PageReaderTests {
    /// What happened, in its order.
    private final class Events: Sendable {
        private let lines = Mutex<(all: [String], waiting: [(line: String, AsyncStream<Void>.Continuation)])>(([], []))
        var all: [String] { lines.withLock { $0.all } }

        func note(_ line: String) {
            lines.withLock { lines in
                lines.all.append(line)
                for waiting in lines.waiting where waiting.line == line { waiting.1.finish() }
            }
        }

        /// Returns when it happens, or has happened.
        func wait(for line: String) async throws {
            let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
            lines.withLock { lines in
                lines.waiting.append((line, continuation))
                if lines.all.contains(line) { continuation.finish() }
            }
            for await _ in stream {}
            try Task.checkCancellation()
        }
    }

    /// Pages 1, 2 and on to a number, each of one record, which can be read when the next page was asked for.
    private struct NumberedTarget: SyncDownTarget {
        static let name: PluginName = "numbered"
        /// Looks, a millisecond apart, after which nobody asks any more.
        static let patience = 20_000
        let count: Int
        let events: Events

        init(count: Int, events: Events) {
            self.count = count
            self.events = events
        }

        init(configuration: JSONValue) { self.init(count: 0, events: Events()) }

        func page(after cursor: PageCursor?, in context: SyncContext) async throws -> Page {
            try await unreadPage(after: cursor, in: context).read()
        }

        func unreadPage(after cursor: PageCursor?, in context: SyncContext) async throws -> UnreadPage {
            let number = (cursor.flatMap { Int($0.rawValue) } ?? 0) + 1
            events.note("ask \(number)")
            let next = number < count ? PageCursor("\(number)") : nil
            return UnreadPage(head: Page(parts: [], next: next)) { [events] in
                // The question may be on its way on another thread still; read on the task that asks, it never comes.
                var rounds = 0
                while next != nil, !events.all.contains("ask \(number + 1)"), rounds < Self.patience {
                    rounds += 1
                    Thread.sleep(forTimeInterval: 0.001)
                }
                if rounds == Self.patience { Issue.record("page \(number) is read before \(number + 1) is asked for") }
                events.note("read \(number)")
                return [RecordBatch([try JSONText(#"{"Id": "\#(number)"}"#)])]
            }
        }
    }

    /// Pages by a script: what each announces, waits for, and has as its next page in the end.
    private struct AnnouncingTarget: SyncDownTarget {
        static let name: PluginName = "announcing"
        struct Step {
            var announced: String?
            /// An event that must come before the page does.
            var awaits: String?
            var next: String?
            var error: SoupError?
        }
        let steps: [String: Step]
        let events: Events

        init(_ steps: [String: Step], _ events: Events) {
            self.steps = steps
            self.events = events
        }

        init(configuration: JSONValue) { self.init([:], Events()) }

        func page(after cursor: PageCursor?, in context: SyncContext) async throws -> Page {
            let name = cursor?.rawValue ?? "1"
            events.note("ask \(name)")
            let step = steps[name] ?? Step()
            if let announced = step.announced { context.announceNext(PageCursor(announced)) }
            do {
                if let awaited = step.awaits { try await events.wait(for: awaited) }
            } catch {
                events.note("cancelled \(name)")
                throw error
            }
            if let error = step.error { throw error }
            return Page(
                RecordBatch([try JSONText(#"{"Id": "\#(name)"}"#)]), next: step.next.map { PageCursor($0) })
        }
    }

    /// What happened until all pages were written, or an error came.
    private func run(_ steps: [String: AnnouncingTarget.Step]) async -> [String] {
        let events = Events()
        let reader = PageReader(
            target: AnnouncingTarget(steps, events), layout: RecordLayout(parts: [.init(soup: "s")]),
            context: SyncContext(transport: ScriptedTransport([]), soup: "s"), clock: ManualClock())
        do {
            try await reader.forEachPage(after: nil) { page in
                events.note("write \(page.page.parts[0][0].value["Id"]?.stringValue ?? "")")
            }
        } catch {
            events.note("\((error as? SoupError)?.code.rawValue ?? "\(error)")")
        }
        return events.all
    }

    /// The page behind it is on its way before it has arrived; and no third one before the first is written.
    @Test(.timeLimit(.minutes(15))) func `An announced page is asked for while the one before it arrives`() async {
        let events = await run([
            "1": .init(announced: "2", awaits: "ask 2", next: "2"),
            "2": .init(announced: "3", awaits: "ask 3", next: "3"), "3": .init(announced: nil, next: nil),
        ])
        #expect(events == ["ask 1", "ask 2", "write 1", "ask 3", "write 2", "write 3"])
    }

    /// What the page itself says counts, be it that it was the last.
    @Test(.timeLimit(.minutes(15)), arguments: [nil, SoupError(.server, "no such page")])
    func `A page that leads elsewhere than announced`(error: SoupError?) async {
        let events = await run([
            "1": .init(announced: "x", awaits: "ask x", next: "2"),
            // The page does not wait for what came of the other way.
            "x": .init(awaits: "write 1", next: "3", error: error),
            "2": .init(announced: "y", awaits: "ask y", next: nil), "y": .init(error: error),
        ])
        #expect(events == ["ask 1", "ask x", "write 1", "ask 2", "ask y", "write 2"])
    }

    /// It is no circle when a page leads to where another one was said to.
    @Test(.timeLimit(.minutes(15))) func `A cursor that was announced in vain may come later`() async {
        let events = await run([
            "1": .init(announced: "3", awaits: "ask 3", next: "2"), "2": .init(announced: "3", next: "3"), "3": .init(),
        ])
        #expect(events.filter { $0.hasPrefix("write") } == ["write 1", "write 2", "write 3"])
    }

    @Test(.timeLimit(.minutes(15))) func `The error of an announced page comes behind the page before it`() async {
        let events = await run([
            "1": .init(announced: "2", awaits: "ask 2", next: "2"), "2": .init(error: SoupError(.server, "broken")),
        ])
        #expect(events == ["ask 1", "ask 2", "write 1", "server"])
    }

    @Test(.timeLimit(.minutes(15))) func `Nothing is on its way behind a page that did not arrive`() async {
        let events = await run([
            "1": .init(announced: "2", awaits: "ask 2", error: SoupError(.server, "broken")),
            "2": .init(awaits: "never"),
        ])
        #expect(events == ["ask 1", "ask 2", "cancelled 2", "server"])
    }

    @Test(.timeLimit(.minutes(15))) func `An announced circle is found when the page is there`() async {
        let events = await run([
            "1": .init(announced: "2", awaits: "ask 2", next: "2"),
            "2": .init(announced: "3", awaits: "ask 3", next: "3"),
            "3": .init(announced: "2", next: "2"),
        ])
        #expect(events == ["ask 1", "ask 2", "write 1", "ask 3", "write 2", "badTarget"])
    }

    private func reader(count: Int, _ events: Events) -> PageReader {
        PageReader(
            target: NumberedTarget(count: count, events: events), layout: RecordLayout(parts: [.init(soup: "s")]),
            context: SyncContext(transport: ScriptedTransport([]), soup: "s"), clock: ManualClock())
    }

    @Test(.timeLimit(.minutes(15))) func `The next page and no further is asked for before one is read`() async throws {
        let events = Events()
        try await reader(count: 4, events).forEachPage(after: nil) { _ in events.note("written") }
        // A page is read behind the question for the next one, and written before the answer to that is taken.
        #expect(
            events.all == [
                "ask 1", "ask 2", "read 1", "written", "ask 3", "read 2", "written", "ask 4", "read 3", "written",
                "read 4", "written",
            ])
    }
}
