// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupCore
import SoupTesting
import Synchronization
import Testing

@testable import MobileSync

/// What is asked for when.
@Suite struct PageReaderTests {
    /// What happened, in its order.
    private final class Events: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func note(_ line: String) { lines.withLock { $0.append(line) } }
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

    private func reader(count: Int, _ events: Events) -> PageReader {
        PageReader(
            target: NumberedTarget(count: count, events: events), layout: RecordLayout(parts: [.init(soup: "s")]),
            context: SyncContext(transport: ScriptedTransport([]), soup: "s"), clock: ManualClock())
    }

    @Test(.timeLimit(.minutes(15))) func theNextPageAndNoFurtherIsAskedForBeforeOneIsRead() async throws {
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
