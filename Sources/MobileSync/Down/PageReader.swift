// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Brings the pages of a query, in their order.
///
/// As soon as a page has arrived the next one is asked for; while that is on its way the page is read and written. So
/// two are held at most.
struct PageReader: Sendable {
    let target: any SyncDownTarget
    let layout: RecordLayout
    let context: SyncContext
    let clock: any SoupClock

    /// Calls `body` with each page behind `cursor`.
    ///
    /// - Throws: what the target throws; ``SoupError`` when a page does not fit the target's own description; what
    ///   `body` throws; `CancellationError`. Nothing is on its way any more then.
    func forEachPage(
        after cursor: PageCursor?, _ body: (FetchedPage) async throws -> Void
    ) async throws {
        var trail = CursorTrail()
        if let cursor { _ = trail.follow(cursor) }
        var page = try await fetch(after: cursor)
        while let next = page.head.next {
            guard trail.follow(next) else { throw badTarget("gave a page whose next page is one that came before") }
            async let following = fetch(after: next)
            // The request goes out first: reading keeps a thread, and there may be no other.
            await Task.yield()
            try await handOver(&page, to: body)
            try Task.checkCancellation()
            page = try await following
            try Task.checkCancellation()
        }
        try await handOver(&page, to: body)
    }

    /// Calls `body` with a page and lets go of it: the next one may take longer than the writing of this one.
    private func handOver(_ page: inout UnreadPage, to body: (FetchedPage) async throws -> Void) async throws {
        let fetched = try read(page)
        page = UnreadPage(Page(parts: []))
        try await body(fetched)
    }

    /// Asks the target for a page.
    ///
    /// The server tells its time when it answers; the page gets the earliest time at which it can have looked.
    private func fetch(after cursor: PageCursor?) async throws -> UnreadPage {
        let start = clock.now
        var page = try await target.unreadPage(after: cursor, in: context)
        let duration = max(0, clock.now - start)
        page.head.serverTime = page.head.serverTime.flatMap {
            Timestamp.plausible.contains($0) ? max(0, $0 - duration) : nil
        }
        return page
    }

    private func read(_ page: UnreadPage) throws -> FetchedPage {
        let page = try page.read()
        guard page.parts.count <= layout.parts.count else {
            throw badTarget("gave a page of \(page.parts.count) parts, its layout has \(layout.parts.count)")
        }
        return try FetchedPage(page, layout)
    }

    private func badTarget(_ what: String) -> SoupError {
        SoupError("badTarget", "target \"\(type(of: target).name)\" \(what)")
    }
}
