// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupLocalOrg
import SoupCore
import SoupKit
import SoupTesting
import Synchronization
import Testing

/// A server that people work on while its records come down, page by page: ids as the query found them, values as they
/// are when the page is read.
@Suite struct LivePagesTests {
    /// Tells the number of each request for a page, before it is sent.
    private struct Meddling: HTTPTransport {
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

    /// Contacts that come down in pages of a hundred.
    private struct World {
        let clock = ManualClock()
        let org: LocalOrg
        let folder: TemporaryFolder
        /// The contacts' ids, in the order in which they come.
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
        func expectAllCame(_ meddle: @escaping @Sendable (Int) throws -> Void) async throws {
            let kit = try await SoupClient.open(
                configuration: folder.path, transport: Meddling(org.authorizedTransport, before: meddle), clock: clock,
                environment: [:])
            for _ in 0..<3 {
                clock.advance(by: 60_000)
                let result = try await kit.syncs.reSync(named: "down").result()
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
            let quiet = try await kit.syncs.reSync(named: "down").result()
            #expect(quiet.saved == 0)
        }
    }

    @Test func `Changes behind and ahead of the page all come`() async throws {
        let world = try World()
        try await world.expectAllCame { page in
            guard page == 2 else { return }
            // What came already changes, something new appears, and later something changes that is still to come.
            world.clock.advance(by: 5_000)
            try world.org.edit("Contact", id: world.ids[0], ["LastName": "Early"])
            _ = try world.org.insert("Contact", ["LastName": "New"])
            world.clock.advance(by: 5_000)
            try world.org.edit("Contact", id: world.ids[999], ["LastName": "Late"])
            world.clock.advance(by: 5_000)
        }
    }

    @Test(arguments: [0, 5_000])
    func `A record that changed does not hide the rest when the cursor expires`(pause: Int64) async throws {
        let world = try World()
        try await world.expectAllCame { page in
            if page == 3 {
                world.clock.advance(by: pause)
                try world.org.edit("Contact", id: world.ids[250], ["LastName": "Late"])
            }
            if page == 5 { world.org.add(OrgFault(.expireCursors, path: "/query/", count: 1)) }
        }
    }

    /// The answer to the query takes its time: the server's `Date` is that of the answer, not of the query.
    @Test func `A slow answer is no later query`() async throws {
        let world = try World()
        let slow = SlowAnswers(base: world.org.authorizedTransport) { number in
            guard number == 1 else { return }
            try? world.org.edit("Contact", id: world.ids[0], ["LastName": "Meanwhile"])
            world.clock.advance(by: 30_000)
        }
        let kit = try await SoupClient.open(
            configuration: world.folder.path, transport: slow, clock: world.clock, environment: [:])
        world.clock.advance(by: 60_000)
        _ = try await kit.syncs.reSync(named: "down").result()
        world.clock.advance(by: 60_000)
        #expect(try await kit.syncs.reSync(named: "down").result().saved == 1)
    }

    /// Keeps every page but the first and the last two until the page behind it was asked for.
    private final class Held: HTTPTransport {
        private let base: any HTTPTransport
        private let pages = Mutex<[AsyncStream<Void>.Continuation]>([])

        init(_ base: any HTTPTransport) { self.base = base }

        func send(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswer {
            try await send(request, body: body) { _ in }
        }

        func send(
            _ request: HTTPRequest, body: [UInt8]?, showing beginning: @escaping @Sendable (HTTPAnswer) -> Void
        ) async throws -> HTTPAnswer {
            let (next, asked) = AsyncStream.makeStream(of: Void.self)
            let number = pages.withLock { pages in
                pages.last?.finish()
                pages.append(asked)
                return pages.count
            }
            let answer = try await base.send(request, body: body, showing: beginning)
            if (2...8).contains(number) { for await _ in next {} }
            try Task.checkCancellation()
            return answer
        }
    }

    /// Of the first page it is not: a bulk query may take its place.
    @Test(.timeLimit(.minutes(15))) func `The page behind one is asked for while it is on its way`() async throws {
        let world = try World()
        let kit = try await SoupClient.open(
            configuration: world.folder.path, transport: Held(world.org.authorizedTransport), clock: world.clock,
            environment: [:])
        #expect(try await kit.syncs.reSync(named: "down").result().saved == world.ids.count)
    }

    /// Lets things happen between the look at the data and the answer, which is dated when it is sent.
    private struct SlowAnswers: HTTPTransport {
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
            let pause = count.value.withLock { $0 } == 1 ? 30_000 : 0 as Int64
            answer.response.headerFields[.date] = before.map { Timestamp.formatHTTPDate($0 + pause) }
            return answer
        }
    }
}
