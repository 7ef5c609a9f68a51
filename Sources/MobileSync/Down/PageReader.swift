// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Brings the pages of a query, in their order.
///
/// As soon as a page tells where the next one is, that one is asked for; while it is on its way, the page is read and
/// written. Nothing is asked for before the page in front of the two is written. So two are held at most.
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
        try await withThrowingTaskGroup { group in
            var fetches = PageFetches(reader: self)
            var trail = CursorTrail()
            if let cursor { _ = trail.follow(cursor) }
            var current = fetches.begin(after: cursor, in: &group)
            while true {
                var following: PageFetch?
                if let early = await current.announced(), trail.isNew(early) {
                    following = fetches.begin(after: early, in: &group)
                }
                var page = try await fetches.end(current, in: &group)
                try Task.checkCancellation()
                let next = page.head.next
                if let next, !trail.follow(next) {
                    throw badTarget("gave a page whose next page is one that came before")
                }
                let isAstray = following.map { $0.cursor != next } ?? false
                if following == nil, let next { following = fetches.begin(after: next, in: &group) }
                // The request goes out first: reading keeps a thread, and there may be no other.
                if following != nil { await Task.yield() }
                try await handOver(&page, to: body)
                if isAstray, let astray = following {
                    // The page led elsewhere in the end: nothing that came of the other way counts.
                    _ = try? await fetches.end(astray, in: &group)
                    following = next.map { fetches.begin(after: $0, in: &group) }
                }
                guard let following else { return }
                current = following
            }
        }
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
    fileprivate func fetch(
        after cursor: PageCursor?, announcing announce: @escaping @Sendable (PageCursor) -> Void
    ) async throws -> UnreadPage {
        var context = context
        context.announceNext = announce
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

/// A page that was asked for.
private struct PageFetch {
    let number: Int
    let cursor: PageCursor?
    let announcements: AsyncStream<PageCursor>

    /// The cursor of the page behind it, as soon as the target announces it; nil when it has ended without.
    func announced() async -> PageCursor? { await announcements.first { _ in true } }
}

/// The pages that were asked for, each by a task of a group, and may come in any order.
private struct PageFetches {
    struct Arrival: Sendable {
        let number: Int
        let page: Result<UnreadPage, any Error>
    }

    let reader: PageReader
    private var count = 0
    /// Those that nobody has asked about yet.
    private var arrived: [Int: Result<UnreadPage, any Error>] = [:]

    init(reader: PageReader) { self.reader = reader }

    /// Asks for a page.
    mutating func begin(after cursor: PageCursor?, in group: inout ThrowingTaskGroup<Arrival, any Error>) -> PageFetch {
        count += 1
        let (stream, announcements) = AsyncStream.makeStream(
            of: PageCursor.self, bufferingPolicy: .bufferingOldest(1))
        group.addTask { [reader, number = count] in
            defer { announcements.finish() }
            do {
                let page = try await reader.fetch(after: cursor) { announcements.yield($0) }
                return Arrival(number: number, page: .success(page))
            } catch {
                return Arrival(number: number, page: .failure(error))
            }
        }
        return PageFetch(number: count, cursor: cursor, announcements: stream)
    }

    /// What came of it, when it is there.
    mutating func end(
        _ fetch: PageFetch, in group: inout ThrowingTaskGroup<Arrival, any Error>
    ) async throws -> UnreadPage {
        while true {
            if let page = arrived.removeValue(forKey: fetch.number) { return try page.get() }
            guard let arrival = try await group.next() else { throw CancellationError() }
            arrived[arrival.number] = arrival.page
        }
    }
}
