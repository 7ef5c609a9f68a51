// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupStore
import SoupCore
import SoupTesting
import Testing

@testable import SoupSync

/// The counts of a run whose server returns a record more than once.
@Suite struct CountedRecordsTests {
    /// The cursor expires after two pages, when a saved record has changed.
    @Test func `A record that is fetched twice is counted once`() async throws {
        let world = try await World()
        world.fill(3)
        _ = try await world.manager.create(world.down("down", ["pageSize": 1, "isSorted": false]))
        let server = world.server
        server.with { state in
            state.onPage = { number in
                guard number == 3 else { return }
                server.put("r1", ["Name": "changed"])
                server.expireCursors()
            }
        }
        let result = try await world.manager.reSync(named: "down").result
        #expect(result.state.status == .done)
        #expect([result.saved, result.unchanged, result.savedBySoup["contacts"]] == [3, 0, 3])
        #expect(try await world.entries().count == 3)
    }

    /// Returns the write of a parent; without an ID, the record cannot be identified.
    private func write(_ id: String?, _ effect: RecordWrite.Effect) throws -> RecordWrite {
        let parents = [try JSONText(id.map { #"{"Id":"\#($0)"}"# } ?? #"{"Id":{}}"#)]
        let page = RecordPage(levels: [RecordBatch(parents), RecordBatch([])])
        let records = try FetchedPage(page, .accountsAndContacts(.masterDetail)).levels[0].records
        var write = RecordWrite(try #require(records.first), .open)
        write.effect = effect
        return write
    }

    @Test func `A record is identified by its level and ID`() throws {
        let counted = CountedRecords()
        let notes: [(id: String?, level: Int, isNew: Bool)] = [
            ("a", 0, true), ("a", 1, true), ("b", 0, true), ("a", 0, false), ("a", 1, false), (nil, 0, true),
            (nil, 0, true),
        ]
        for note in notes {
            #expect(counted.note(try write(note.id, .saved), of: note.level).isNew == note.isNew, "\(note)")
        }
        #expect(!counted.isFull)
    }

    @Test func `The strongest effect of a record counts`() throws {
        let effects: [RecordWrite.Effect] = [.skipped(isKnown: false), .unchanged, .conflicted, .merged, .saved]
        for (first, earlier) in effects.enumerated() {
            for (second, later) in effects.enumerated() {
                let counted = CountedRecords()
                var counts = counted.note(try write("a", earlier), of: 0).counts
                counts += counted.note(try write("a", later), of: 0).counts
                #expect(counts == RecordCounts(effects[max(first, second)]), "\(earlier), then \(later)")
            }
        }
    }
}
