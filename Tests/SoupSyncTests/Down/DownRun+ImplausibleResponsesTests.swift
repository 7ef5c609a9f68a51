// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupStore
import SoupCore
import SoupTesting
import Testing

@testable import SoupSync

/// Sync downs with implausible responses of the server.
@Suite struct DownRunImplausibleResponsesTests {
    @Test(
        arguments: [
            (24, 100, nil), (2, 100, nil), (24, 1, nil), (24, 1, 4), (2, 1, nil),
        ] as [(Int, Int, Int?)])
    func `A run with a wrong number of records fails`(announced: Int, pageSize: Int, now: Int?) async throws {
        var target: JSONObject = [
            "isExact": true, "falseTotal": .int(Int64(announced)), "pageSize": .int(Int64(pageSize)),
        ]
        target["currentCount"] = now.map { .int(Int64($0)) }
        let world = try await World.withRecords(3, target)
        for _ in 1...2 {
            let result = try await world.manager.reSync(named: "down").result
            #expect(result.state.status == .failed)
            #expect(result.error?.code == .incompleteAnswer)
            #expect(
                result.error?.message
                    == "sync \"down\": the first page announced \(announced) record(s) and the server sent 3")
            #expect(result.state.maxTimeStamp == nil)
        }
        expect(try await world.entries().count, 3)
        try await world.manager.redefine(world.down("down", ["isExact": true]))
        let result = try await world.manager.reSync(named: "down").result
        #expect(result.state.status == .done && result.state.times.mark == Moment.start)
    }

    /// A record that is deleted between two pages is missing without an error.
    @Test func `Records deleted between pages are not missing`() async throws {
        let world = try await World.withRecords(
            3, ["isExact": true, "falseTotal": 5, "pageSize": 1, "currentCount": 3])
        expect(try await world.run("down").last, "DONE 100/3")
        expect(try await world.syncs(), ["1 down DONE 100/3 mark > +0s"])
    }

    /// A record that moves to the end of the list moves another one to a page that was already read.
    @Test func `A record on two pages does not replace another one`() async throws {
        let world = try await World.withRecords(4, ["isExact": true, "pageSize": 2, "isSorted": false])
        let server = world.server
        server.with { state in
            state.onPage = { number in
                guard number == 2 else { return }
                server.with { $0.queries[0] = ["r13", "r11", "r10", "r13"] }
            }
        }
        let result = try await world.manager.reSync(named: "down").result
        #expect(result.error?.code == .incompleteAnswer)
        let message = "the list changed while its pages were read: 4 record(s) were announced, and the server sent 3"
        #expect(result.error?.message == "sync \"down\": \(message) different ones")
        #expect(result.state.maxTimeStamp == nil)
        expect(try await world.entries().count, 3)
        // The next run fetches the missing record, and the run after it is not disturbed.
        expect(try await world.run("down").last, "DONE 100/4")
        expect(try await world.entries().count, 4)
    }

    /// A record that was already returned is deleted: the list shrinks, and another record moves to that page.
    @Test func `A list of numbered pages that shrinks is incomplete`() async throws {
        let world = try await World.withRecords(
            4, ["isExact": true, "pageSize": 2, "isSorted": false, "hasTemporaryCursors": true])
        let server = world.server
        server.with { state in
            state.onPage = { number in
                guard number == 2 else { return }
                server.with { $0.queries[0] = ["r12", "r11", "r10"] }
            }
        }
        let result = try await world.manager.reSync(named: "down").result
        #expect(result.error?.code == .incompleteAnswer && result.error?.message.contains("the list changed") == true)
        expect(try await world.entries().count, 3)
        expect(try await world.run("down").last, "DONE 100/4")
        expect(try await world.entries().count, 4)
    }

    @Test func `Pages that alternate end the run`() async throws {
        let world = try await World.withRecords(
            2, ["alternates": true, "pageSize": 1, "reportsTotal": false, "isSorted": false])
        let result = try await world.manager.reSync(named: "down").result
        #expect(result.error?.code == .incompleteAnswer)
        #expect(result.error?.message == "sync \"down\": the server sends pages without new records again and again")
        expect(try await world.entries().count, 2)
        #expect(result.state.maxTimeStamp == nil)
    }

    @Test func `Repeated pages may be as many as the earlier ones`() {
        func isEndless(_ contents: [RepeatedPages.Content], restartingAfter restart: Int? = nil) -> Bool {
            var pages = RepeatedPages()
            var isEndless = false
            for (index, content) in contents.enumerated() {
                if index == restart { pages.restart() }
                isEndless = pages.isEndless(after: content) || isEndless
            }
            return isEndless
        }
        func pages(_ content: RepeatedPages.Content, _ count: Int) -> [RepeatedPages.Content] {
            Array(repeating: content, count: count)
        }
        let most = 50 + RepeatedPages.tolerance
        #expect(!isEndless(pages(.new, 50) + pages(.known, most) + [.new] + pages(.known, most)))
        #expect(isEndless(pages(.new, 50) + pages(.known, most + 1)))
        // Another restart returns the known pages of the one before again.
        #expect(!isEndless(pages(.new, 50) + pages(.known, most + 40), restartingAfter: 90))
        // Pages without records neither begin the count again nor are endless soon.
        let alternating = (0...most).flatMap { _ in [RepeatedPages.Content.known, .none] }
        #expect(isEndless(pages(.new, 50) + alternating))
        #expect(!isEndless(pages(.none, RepeatedPages.maximumEmpty)))
        #expect(isEndless(pages(.none, RepeatedPages.maximumEmpty + 1)))
    }

    @Test func `A record without an ID fails the run`() async throws {
        let world = try await World()
        world.server.put("", ["Name": "Ann"])
        _ = try await world.manager.create(world.down())
        let result = try await world.manager.reSync(named: "down").result
        #expect(result.error?.code == .json)
        #expect(result.error?.message == "sync \"down\": record 0 of the page for soup \"contacts\" has no \"Id\"")
        expect(try await world.entries().count, 0)
    }

    @Test(arguments: [IndexSpec.Kind.integer, .floating])
    func `IDs that an index of numbers merges fail the run`(kind: IndexSpec.Kind) async throws {
        let world = try await World()
        let indexes = World.soups[0].1.map { $0.path == JSONPath("Id") ? IndexSpec("Id", kind) : $0 }
        try await world.store.alterSoup("contacts", to: indexes, reIndex: true)
        for id in ["7", "12", "text"] { world.server.put(id, ["Name": "Ann"]) }
        _ = try await world.manager.create(world.down())
        expect(try await world.run("down").last, "DONE 100/3")
        let entries = try await world.entries()
        world.server.put("007", ["Name": "Bond"])
        let result = try await world.manager.reSync(named: "down").result
        #expect(result.error?.code == .notUnique)
        #expect(result.error?.message.hasPrefix("sync \"down\": the index \"Id\" of the soup \"contacts\"") == true)
        expect(try await world.entries(), entries)

        // Deletions and look-ups by the other form do not find the entry.
        let level = RecordLayout.Level(soup: "contacts")
        let found = try await world.store.write { writer in
            (
                try level.entryIds(ofRecord: "7", in: writer).count, try level.entryIds(ofRecord: "007", in: writer),
                try writer.idValue("007", at: "Id", in: "contacts")
            )
        }
        #expect(found.0 == 1 && found.1 == [] && found.2 == .string("007"))
    }

    @Test func `An index of numbers merges other forms of a number`() {
        let values: [JSONValue] = ["7", "-7", "0", "abc", "003A", "0x1A", "inf", "", 7, .null, ["a"]]
        for value in values { #expect(FetchedLevel.isDistinct(value, in: .integer), "\(value)") }
        let merged: [JSONValue] = ["007", "+7", " 7", "7.0", "1e3", "99999999999999999999", "-0", 7.5]
        for value in merged {
            #expect(!FetchedLevel.isDistinct(value, in: .integer), "\(value)")
            #expect(
                FetchedLevel.isDistinct(value, in: .string) && FetchedLevel.isDistinct(value, in: .json1), "\(value)")
        }
        #expect(FetchedLevel.isDistinct("9007199254740993", in: .integer))
        #expect(!FetchedLevel.isDistinct("9007199254740993", in: .floating))
    }

    @Test func `A stamped date raises the mark`() async throws {
        let world = try await World.withRecords(3, ["stampsDates": true])
        expect(try await world.run("down").last, "DONE 100/3")
        expect(try await world.syncs(), ["1 down DONE 100/3 mark > +0s"])
    }

    /// Without the server's time, the mark is at most one day after the time of the device.
    @Test func `A date far in the future does not raise the mark`() async throws {
        let world = try await World.withRecords(2, ["reportsTime": false])
        world.server.put("z", ["Name": "far"], at: 253_370_764_800_000)
        world.server.put("y", ["Name": "near"], at: Moment.after(3600))
        try await world.run("down")
        expect(try await world.syncs(), ["1 down DONE 100/4 mark >= +3600s"])
        world.clock.advance(by: .seconds(7200))
        world.server.put("r10", ["Name": "changed"])
        #expect(try await world.manager.reSync(named: "down").result.saved == 1)
    }
}
