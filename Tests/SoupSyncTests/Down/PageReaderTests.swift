// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupCore
import SoupTesting
import Synchronization
import Testing

@testable import SoupSync

/// The order of requests, reads and writes of pages.
@Suite struct PageReaderTests {
    /// The recorded events in their order.
    private final class Events: Sendable {
        private let lines = Mutex<(all: [String], waiting: [(line: String, AsyncStream<Void>.Continuation)])>(([], []))
        var all: [String] { lines.withLock { $0.all } }

        func note(_ line: String) {
            lines.withLock { lines in
                lines.all.append(line)
                for waiting in lines.waiting where waiting.line == line { waiting.1.finish() }
            }
        }

        /// Waits until an event is recorded.
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

    /// A target with numbered pages of one record, each of which can be read after the request of the next page.
    private struct NumberedTarget: SyncDownTarget {
        static let name: PluginName = "numbered"
        /// The maximum number of checks for the next request, one millisecond apart.
        static let maximumChecks = 20_000
        let count: Int
        let events: Events

        init(count: Int, events: Events) {
            self.count = count
            self.events = events
        }

        init(configuration: JSONValue) { self.init(count: 0, events: Events()) }

        func page(after cursor: PageCursor?, in context: SyncContext) async throws -> RecordPage {
            try await unreadPage(after: cursor, in: context).read()
        }

        func unreadPage(after cursor: PageCursor?, in context: SyncContext) async throws -> UnreadPage {
            let number = (cursor.flatMap { Int($0.rawValue) } ?? 0) + 1
            events.note("ask \(number)")
            let next = number < count ? PageCursor("\(number)") : nil
            return UnreadPage(head: RecordPage(levels: [], next: next)) { [events] in
                // Another thread may be about to send the next request. If this read blocks the requesting task, the
                // request is never sent.
                var checks = 0
                while next != nil, !events.all.contains("ask \(number + 1)"), checks < Self.maximumChecks {
                    checks += 1
                    Thread.sleep(forTimeInterval: 0.001)
                }
                if checks == Self.maximumChecks {
                    Issue.record("page \(number) is read before \(number + 1) is requested")
                }
                events.note("read \(number)")
                return [RecordBatch([try JSONText(#"{"Id": "\#(number)"}"#)])]
            }
        }
    }

    /// A target with scripted pages: each has an announced next page, an event to wait for, and its next page.
    private struct AnnouncingTarget: SyncDownTarget {
        static let name: PluginName = "announcing"
        struct Step {
            var announced: String?
            /// The event that the page waits for.
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

        func page(after cursor: PageCursor?, in context: SyncContext) async throws -> RecordPage {
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
            return RecordPage(
                RecordBatch([try JSONText(#"{"Id": "\#(name)"}"#)]), next: step.next.map { PageCursor($0) })
        }
    }

    /// Returns the events until all pages are written or an error occurs.
    private func run(_ steps: [String: AnnouncingTarget.Step]) async -> [String] {
        let events = Events()
        let reader = PageReader(
            target: AnnouncingTarget(steps, events), layout: RecordLayout(levels: [.init(soup: "s")]),
            context: SyncContext(transport: ScriptedTransport([]), soup: "s"), clock: ManualClock())
        do {
            try await reader.forEachPage(after: nil) { page in
                events.note("write \(page.levels[0].batch[0].value["Id"]?.stringValue ?? "")")
            }
        } catch {
            events.note("\((error as? SoupError)?.code.rawValue ?? "\(error)")")
        }
        return events.all
    }

    /// The next page is requested before a page has arrived, but no third one before the first page is written.
    @Test(.timeLimit(.minutes(15))) func `An announced page is requested during the page before`() async {
        let events = await run([
            "1": .init(announced: "2", awaits: "ask 2", next: "2"),
            "2": .init(announced: "3", awaits: "ask 3", next: "3"), "3": .init(announced: nil, next: nil),
        ])
        #expect(events == ["ask 1", "ask 2", "write 1", "ask 3", "write 2", "write 3"])
    }

    /// The next cursor of the page counts, even if there is none.
    @Test(.timeLimit(.minutes(15)), arguments: [nil, SoupError(.server, "no such page")])
    func `The cursor of a page overrides its announcement`(error: SoupError?) async {
        let events = await run([
            "1": .init(announced: "x", awaits: "ask x", next: "2"),
            // The page does not wait for the result of the announced page.
            "x": .init(awaits: "write 1", next: "3", error: error),
            "2": .init(announced: "y", awaits: "ask y", next: nil), "y": .init(error: error),
        ])
        #expect(events == ["ask 1", "ask x", "write 1", "ask 2", "ask y", "write 2"])
    }

    /// A page may lead to a cursor that an earlier page only announced.
    @Test(.timeLimit(.minutes(15))) func `An unused announced cursor is not a loop`() async {
        let events = await run([
            "1": .init(announced: "3", awaits: "ask 3", next: "2"), "2": .init(announced: "3", next: "3"), "3": .init(),
        ])
        #expect(events.filter { $0.hasPrefix("write") } == ["write 1", "write 2", "write 3"])
    }

    @Test(.timeLimit(.minutes(15))) func `The error of an announced page follows the page before`() async {
        let events = await run([
            "1": .init(announced: "2", awaits: "ask 2", next: "2"), "2": .init(error: SoupError(.server, "broken")),
        ])
        #expect(events == ["ask 1", "ask 2", "write 1", "server"])
    }

    @Test(.timeLimit(.minutes(15))) func `A failed page cancels the announced one`() async {
        let events = await run([
            "1": .init(announced: "2", awaits: "ask 2", error: SoupError(.server, "broken")),
            "2": .init(awaits: "never"),
        ])
        #expect(events == ["ask 1", "ask 2", "cancelled 2", "server"])
    }

    @Test(.timeLimit(.minutes(15))) func `An announced loop is found after its page`() async {
        let events = await run([
            "1": .init(announced: "2", awaits: "ask 2", next: "2"),
            "2": .init(announced: "3", awaits: "ask 3", next: "3"),
            "3": .init(announced: "2", next: "2"),
        ])
        #expect(events == ["ask 1", "ask 2", "write 1", "ask 3", "write 2", "badTarget"])
    }

    private func reader(count: Int, _ events: Events) -> PageReader {
        PageReader(
            target: NumberedTarget(count: count, events: events), layout: RecordLayout(levels: [.init(soup: "s")]),
            context: SyncContext(transport: ScriptedTransport([]), soup: "s"), clock: ManualClock())
    }

    @Test(.timeLimit(.minutes(15))) func `Only the next page is requested before a page is read`() async throws {
        let events = Events()
        try await reader(count: 4, events).forEachPage(after: nil) { _ in events.note("written") }
        // A page is read after the request for the next one, and written before the response to that is used.
        #expect(
            events.all == [
                "ask 1", "ask 2", "read 1", "written", "ask 3", "read 2", "written", "ask 4", "read 3", "written",
                "read 4", "written",
            ])
    }
}
