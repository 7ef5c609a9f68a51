// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SOQLTargets
import SoupCore
import SoupTesting
import Synchronization
import Testing

private let start: Int64 = 1_705_320_000_000

@Suite struct SOQLSyncDownTargetPagingTests {
    @Test func `Pages keep the server's bytes and first-page data`() async throws {
        let first =
            #"{"totalSize":3,"done":false,"nextRecordsUrl":"/v/query/01g-2","records":[ {"Id":"a", "N":1.0},{"Id":"b"}]}"#
        let transport = ScriptedTransport([
            .answer(
                to: "GET /v/query?q=select Id,LastModifiedDate,N from A order by LastModifiedDate", first,
                headers: [.date: DateText.formatHTTPDate(start)]),
            .answer(
                to: "GET /v/query/01g-2", #"{"totalSize":3,"done":true,"records":[{"Id":"c"}]}"#,
                headers: [.date: DateText.formatHTTPDate(start + 60_000)]),
        ])
        let target = try soqlTarget("select N from A")
        let page = try await target.page(after: nil, in: soqlContext(transport))
        #expect(
            page.dump == [
                #"{"Id":"a", "N":1.0}"#, #"{"Id":"b"}"#, "next 3;1705320000000;/v/query/01g-2", "total 3",
                "at 2024-01-15T12:00:00.000+0000",
            ])
        let last = try await target.page(after: page.next, in: soqlContext(transport))
        #expect(last.dump == [#"{"Id":"c"}"#, "total 3", "at 2024-01-15T12:00:00.000+0000"])
        #expect(transport.violations == [])
    }

    /// The page after the first one is not announced, because a bulk query may replace it.
    @Test func `The page after a later page is announced`() async throws {
        let next = #"{"totalSize":3,"done":false,"nextRecordsUrl":"/v/query/01g-4","records":[]}"#
        let transport = ScriptedTransport([
            .answer(#"{"totalSize":3,"done":false,"nextRecordsUrl":"/v/query/01g-2","records":[]}"#), .answer(next),
            .answer(status: 500, next), .answer(#"{"totalSize":3,"done":true,"records":[]}"#),
            .answer(#"{"records":[],"totalSize":3,"done":false,"nextRecordsUrl":"/v/query/01g-4"}"#), .answer(next),
        ])
        func run(_ cursor: PageCursor?) async throws -> (next: PageCursor?, announced: [PageCursor]) {
            let announced = Mutex<[PageCursor]>([])
            var context = soqlContext(transport)
            context.announceNext = { cursor in announced.withLock { $0.append(cursor) } }
            let page = try? await soqlTarget("select N from A").page(after: cursor, in: context)
            return (page?.next, announced.withLock { $0 })
        }
        let second = PageCursor("3;;/v/query/01g-2")
        #expect(try await run(nil) == (second, []))
        #expect(try await run(second) == (PageCursor("3;;/v/query/01g-4"), [PageCursor("3;;/v/query/01g-4")]))
        #expect(try await run(second) == (nil, []), "an error")
        #expect(try await run(second) == (nil, []), "the last page")
        #expect(try await run(second) == (PageCursor("3;;/v/query/01g-4"), []), "the URL follows the records")
        let restart = PageCursor("again:3;;/v/query/01g-4")
        #expect(try await run(PageCursor("again:\(second)")) == (restart, [restart]))
        #expect(transport.violations == [])
    }

    @Test func `An expired cursor has its own error code`() async throws {
        func code(_ body: String) async -> SoupError.Code? {
            let transport = ScriptedTransport { _ in HTTPAnswer(status: 400, body) }
            do {
                _ = try await soqlTarget("select Id from A").page(
                    after: PageCursor("3;;/v/query/01g-2"), in: soqlContext(transport))
                return nil
            } catch { return (error as? SoupError)?.code }
        }
        #expect(
            await code(#"[{"errorCode":"INVALID_QUERY_LOCATOR","message":"invalid query locator"}]"#) == .cursorExpired)
        #expect(await code(#"[{"errorCode":"MALFORMED_QUERY","message":"m"}]"#) == .server)
    }

    @Test func `The error contains the server's own message`() async throws {
        let body = #"[{"errorCode":"INVALID_FIELD","message":"No such column 'Nme' on entity 'A'"}]"#
        let transport = ScriptedTransport([.answer(status: 400, body)])
        let error = await #expect(throws: SoupError.self) {
            try await soqlTarget("select Nme from A").page(after: nil, in: soqlContext(transport))
        }
        #expect(error?.message.hasSuffix("HTTP 400, INVALID_FIELD: No such column 'Nme' on entity 'A'") == true)
        #expect(error?.hint == "Check the query or the field list of the sync.")
    }
}
