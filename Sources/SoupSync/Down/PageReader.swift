// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A reader of the pages of a query, in their order.
///
/// As soon as a page announces the cursor of the next page, that page is requested. While the request is in flight, the
/// current page is read and written. A page is requested only after the page before the previous one is written, so at
/// most two pages are in memory.
struct PageReader: Sendable {
    let target: any SyncDownTarget
    let layout: RecordLayout
    let context: SyncContext
    let clock: any SoupClock
    /// Throws if the next request would exceed the limit of requests.
    var checkLimit: @Sendable () throws -> Void = {}
    var observation: SyncObservation?

    /// Calls `body` with each page after `cursor`.
    ///
    /// - Throws: the target's error; ``SoupError`` if a page does not match the target's own layout; the error of
    ///   `body`; `CancellationError`. No request is in flight when it throws.
    func forEachPage(
        after cursor: PageCursor?, _ body: (FetchedPage) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup { group in
            var fetches = PageFetches(reader: self)
            var visited = VisitedCursors()
            if let cursor { _ = visited.insert(cursor) }
            var current = fetches.begin(after: cursor, in: &group)
            while true {
                var following: PageFetch?
                if let early = await current.announced(), visited.isNew(early) {
                    following = fetches.begin(after: early, in: &group)
                }
                var page = try await fetches.end(current, in: &group)
                try Task.checkCancellation()
                let next = page.head.next
                if let next, !visited.insert(next) {
                    throw badTarget("returned a page whose cursor is that of an earlier page")
                }
                let isWrongCursor = following.map { $0.cursor != next } ?? false
                if following == nil, let next { following = fetches.begin(after: next, in: &group) }
                // Start the request first: reading a page blocks a thread, and there may be no other thread.
                if following != nil { await Task.yield() }
                try await pass(&page, to: body)
                if isWrongCursor, let wrong = following {
                    // The page's final cursor differs from the announced one, so the page fetched early is discarded.
                    _ = try? await fetches.end(wrong, in: &group)
                    following = next.map { fetches.begin(after: $0, in: &group) }
                }
                guard let following else { return }
                current = following
            }
        }
    }

    /// Fetches and reads one page.
    ///
    /// - Throws: as ``forEachPage(after:_:)``.
    func page(after cursor: PageCursor?) async throws -> FetchedPage {
        try read(try await fetch(after: cursor) { _ in })
    }

    /// Reads a page, releases its unread form, and calls `body` with it.
    ///
    /// Without the release, the unread form would stay in memory until the next page arrives.
    private func pass(_ page: inout UnreadPage, to body: (FetchedPage) async throws -> Void) async throws {
        let fetched = try read(page)
        page = UnreadPage(RecordPage(levels: []))
        try await body(fetched)
    }

    /// Requests a page from the target.
    ///
    /// The server reports its time when it responds. The page's server time is set to the earliest time at which the
    /// server can have run the query.
    fileprivate func fetch(
        after cursor: PageCursor?, announcing announce: @escaping @Sendable (PageCursor) -> Void
    ) async throws -> UnreadPage {
        try checkLimit()
        var context = context
        context.announceNext = announce
        let start = clock.milliseconds
        var page = try await observation.measuring(.pageFetch) {
            try await target.unreadPage(after: cursor, in: context)
        }
        let duration = max(0, clock.milliseconds - start)
        page.head.serverTime = page.head.serverTime.flatMap {
            let time = $0.millisecondsSince1970
            return DateText.plausible.contains(time) ? Date(millisecondsSince1970: max(0, time - duration)) : nil
        }
        return page
    }

    private func read(_ page: UnreadPage) throws -> FetchedPage {
        let page = try page.read()
        guard page.levels.count <= layout.levels.count else {
            throw badTarget("returned a page of \(page.levels.count) levels, but its layout has \(layout.levels.count)")
        }
        return try FetchedPage(page, layout)
    }

    private func badTarget(_ fault: String) -> SoupError {
        SoupError(.badTarget, "target \"\(target.pluginName)\" \(fault)")
    }
}

/// A page that has been requested.
private struct PageFetch {
    let number: Int
    let cursor: PageCursor?
    let announcements: AsyncStream<PageCursor>

    /// Returns the cursor of the following page as soon as the target announces it; `nil` if the fetch ends without
    /// one.
    func announced() async -> PageCursor? { await announcements.first { _ in true } }
}

/// The requested pages, each fetched by a task of a group; they may arrive in any order.
private struct PageFetches {
    struct Arrival: Sendable {
        let number: Int
        let page: Result<UnreadPage, any Error>
    }

    let reader: PageReader
    private var count = 0
    /// The pages that have arrived but have not been taken yet.
    private var arrived: [Int: Result<UnreadPage, any Error>] = [:]

    init(reader: PageReader) { self.reader = reader }

    /// Starts the request for a page.
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

    /// Waits for a page and returns it.
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
