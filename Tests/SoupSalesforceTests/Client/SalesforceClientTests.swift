// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupSalesforce
import SoupTesting
import Synchronization
import Testing

/// The parts of the context that the client uses.
@Suite struct SalesforceClientTests {
    private static let page = #"{"totalSize":4,"done":false,"nextRecordsUrl":"/a/query/01g-4","records":[{"Id":"a"}]}"#

    @Test(arguments: ["/services/data/v66.0", "/proxy/services/data/v60.0", ""])
    func `Paths begin with the base path of the context`(basePath: String) async throws {
        let transport = ScriptedTransport { request in
            HTTPAnswer(request[parameter: "q"] == nil ? "{}" : #"{"totalSize":0,"done":true,"records":[]}"#)
        }
        let client = SalesforceClient(SyncContext(transport: transport, basePath: basePath, soup: "s"))
        #expect(client.apiPath == basePath)
        _ = try await client.query("select Id from A")
        _ = try await client.search("find {x}")
        _ = try await client.describe("A")
        #expect(
            transport.requests.map(\.pathWithoutQuery)
                == ["/query", "/search", "/sobjects/A/describe"].map { basePath + $0 })
    }

    /// The engine may then request the next page early.
    @Test func `A later page announces the cursor of the next`() async throws {
        let transport = ScriptedTransport { _ in HTTPAnswer(Self.page) }
        let announced = Mutex<[PageCursor]>([])
        var context = SyncContext(transport: transport, soup: "s")
        context.announceNext = { cursor in announced.withLock { $0.append(cursor) } }
        let client = SalesforceClient(context)
        let first = try await client.queryPage(after: nil, of: "select Id from A")
        #expect(first.head == nil)
        #expect(announced.withLock { $0 } == [])
        let cursor = QueryPageCursor(url: "/a/query/01g-2", totalSize: 4, serverTime: nil).pageCursor
        let second = try await client.queryPage(after: cursor, of: "select Id from A")
        #expect(second.head?.url == "/a/query/01g-2")
        #expect(announced.withLock { $0.map(\.rawValue) } == ["4;;/a/query/01g-4"])
        #expect(transport.requests.map(\.pathWithoutQuery) == ["/query", "/a/query/01g-2"])
    }
}
