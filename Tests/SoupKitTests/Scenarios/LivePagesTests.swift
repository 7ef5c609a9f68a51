// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import SoupLocalOrg
import SoupCore
import SoupKit
import SoupTesting
import Synchronization
import Testing

/// Sync down from a server whose records change between two pages: the IDs are those that the query found, and the
/// values are those at the time when the page is read.
@Suite struct LivePagesTests {
    /// A transport that calls `before` with the number of each request for a page, before it sends the request.
    private struct InterceptingTransport: HTTPTransport {
        let base: any HTTPTransport
        let before: @Sendable (Int) throws -> Void
        private let pages = Pages()

        private final class Pages: Sendable {
            let count = Mutex(0)
        }

        init(_ base: any HTTPTransport, before: @escaping @Sendable (Int) throws -> Void) {
            self.base = base
            self.before = before
        }

        func send(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswer {
            try await send(request, body: body) { _ in }
        }

        func send(
            _ request: HTTPRequest, body: [UInt8]?, showing beginning: @escaping @Sendable (HTTPAnswer) -> Void
        ) async throws -> HTTPAnswer {
            if request.path?.contains("/query") ?? false {
                try before(
                    pages.count.withLock {
                        $0 += 1
                        return $0
                    })
            }
            return try await base.send(request, body: body, showing: beginning)
        }
    }

    /// An org with contacts, and a store that syncs them down in pages of a hundred.
    private struct World {
        let clock = ManualClock()
        let org: LocalOrg
        let folder: TemporaryFolder
        /// The contacts' IDs, in the order of the sync.
        let ids: [String]

        init() throws {
            org = try LocalOrg(seed: .medium, clock: clock)
            org.setOptions { $0.maximumPageSize = 100 }
            ids = try org.state(of: "Contact").map {
                ($0["LastModifiedDate"]?.stringValue ?? "", $0["Id"]?.stringValue ?? "")
            }.sorted { $0 < $1 }.map(\.1)
            folder = try TemporaryFolder([
                "userstore.json": """
                {"soups": [{"soupName": "contacts", "indexes": [
                    {"path": "Id", "type": "string"}, {"path": "__local__", "type": "string"}]}]}
                """,
                "usersyncs.json": """
                {"syncs": [{"syncName": "down", "syncType": "syncDown", "soupName": "contacts",
                    "target": {"type": "soql", "query": "select LastName from Contact"}, "options": {}}]}
                """,
            ])
        }

        /// Syncs three times, a minute apart, and compares the names on both sides.
        ///
        /// - Parameter change: called before each request for a page, with its number.
        func expectEqualSides(changing change: @escaping @Sendable (Int) throws -> Void) async throws {
            let kit = try await SoupClient.open(
                at: folder.url,
                options: .init(
                    transport: InterceptingTransport(org.authorizedTransport, before: change), clock: clock,
                    environment: [:]))
            for _ in 0..<3 {
                clock.advance(by: .seconds(60))
                let result = try await kit.syncs.reSync(named: "down").result
                #expect(result.state.status == .done)
            }
            var here: [String: String] = [:]
            for try await entry in kit.store.entries(matching: .all("contacts", pageSize: 500)) {
                here[entry["Id"]?.stringValue ?? ""] = entry["LastName"]?.stringValue
            }
            var there: [String: String] = [:]
            for row in try org.state(of: "Contact") {
                there[row["Id"]?.stringValue ?? ""] = row["LastName"]?.stringValue
            }
            #expect(here.count == there.count)
            #expect(there.filter { here[$0.key] != $0.value } == [:])
            let quiet = try await kit.syncs.reSync(named: "down").result
            #expect(quiet.saved == 0)
        }
    }

    @Test func `Changes before and after the current page are fetched`() async throws {
        let world = try World()
        try await world.expectEqualSides { page in
            guard page == 2 else { return }
            // A fetched record changes, a record is created, and later a record changes that is not fetched yet.
            world.clock.advance(by: .seconds(5))
            try world.org.edit("Contact", id: world.ids[0], ["LastName": "Early"])
            _ = try world.org.insert("Contact", ["LastName": "New"])
            world.clock.advance(by: .seconds(5))
            try world.org.edit("Contact", id: world.ids[999], ["LastName": "Late"])
            world.clock.advance(by: .seconds(5))
        }
    }

    @Test(arguments: [0, 5_000])
    func `A changed record hides no other when the cursor expires`(pause: Int64) async throws {
        let world = try World()
        try await world.expectEqualSides { page in
            if page == 3 {
                world.clock.advance(by: .milliseconds(pause))
                try world.org.edit("Contact", id: world.ids[250], ["LastName": "Late"])
            }
            if page == 5 { world.org.add(OrgFault(.expireCursors, path: "/query/", count: 1)) }
        }
    }

    /// The response is delayed: the server's `Date` is the time of the response, not of the query.
    @Test func `A change during a slow response is fetched by the next run`() async throws {
        let world = try World()
        let slow = DelayedTransport(base: world.org.authorizedTransport) { number in
            guard number == 1 else { return }
            try? world.org.edit("Contact", id: world.ids[0], ["LastName": "Meanwhile"])
            world.clock.advance(by: .seconds(30))
        }
        let kit = try await SoupClient.open(
            at: world.folder.url, options: .init(transport: slow, clock: world.clock, environment: [:]))
        world.clock.advance(by: .seconds(60))
        _ = try await kit.syncs.reSync(named: "down").result
        world.clock.advance(by: .seconds(60))
        #expect(try await kit.syncs.reSync(named: "down").result.saved == 1)
    }

    /// A transport that holds every page back, except the first and the last two, until the next page is requested.
    private final class HoldingTransport: HTTPTransport {
        private let base: any HTTPTransport
        private let pages = Mutex<[AsyncStream<Void>.Continuation]>([])

        init(_ base: any HTTPTransport) { self.base = base }

        func send(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswer {
            try await send(request, body: body) { _ in }
        }

        func send(
            _ request: HTTPRequest, body: [UInt8]?, showing beginning: @escaping @Sendable (HTTPAnswer) -> Void
        ) async throws -> HTTPAnswer {
            let (next, requested) = AsyncStream.makeStream(of: Void.self)
            let number = pages.withLock { pages in
                pages.last?.finish()
                pages.append(requested)
                return pages.count
            }
            let answer = try await base.send(request, body: body, showing: beginning)
            if (2...8).contains(number) { for await _ in next {} }
            try Task.checkCancellation()
            return answer
        }
    }

    /// Not for the first page, which a bulk query may replace.
    @Test(.timeLimit(.minutes(15)))
    func `The next page is requested while a page arrives`() async throws {
        let world = try World()
        let kit = try await SoupClient.open(
            at: world.folder.url,
            options: .init(
                transport: HoldingTransport(world.org.authorizedTransport), clock: world.clock, environment: [:]))
        #expect(try await kit.syncs.reSync(named: "down").result.saved == world.ids.count)
    }

    /// A transport that calls `meanwhile` between the query and its response; the response has the date of its sending.
    private struct DelayedTransport: HTTPTransport {
        let base: any HTTPTransport
        let meanwhile: @Sendable (Int) -> Void
        private let count = Counter()

        private final class Counter: Sendable {
            let value = Mutex(0)
        }

        init(base: any HTTPTransport, meanwhile: @escaping @Sendable (Int) -> Void) {
            self.base = base
            self.meanwhile = meanwhile
        }

        func send(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswer {
            var answer = try await base.send(request, body: body)
            guard request.path?.contains("/query") ?? false else { return answer }
            let before = answer.serverTime
            meanwhile(
                count.value.withLock {
                    $0 += 1
                    return $0
                })
            let pause = count.value.withLock { $0 } == 1 ? 30 : 0.0
            answer.response.headerFields[.date] = before.map { DateText.formatHTTPDate($0 + pause) }
            return answer
        }
    }
}
