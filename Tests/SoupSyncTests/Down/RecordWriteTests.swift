// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Testing

@testable import SoupSync

/// The steps between the upsert of a page and its counts.
@Suite struct RecordWriteTests {
    private static let date = DateText.milliseconds("2024-05-06T07:08:09Z") ?? 0

    /// A page of one parent and two children, the second of which has no date.
    private static func page() throws -> FetchedPage {
        let date = #""LastModifiedDate":"2024-05-06T07:08:09Z""#
        let parents = [#"{"Id":"p1",\#(date)}"#]
        let children = [#"{"Id":"c1","AccountId":"p1",\#(date)}"#, #"{"Id":"c2","AccountId":"p1"}"#]
        return try FetchedPage(
            RecordPage(levels: try [parents, children].map { RecordBatch(try $0.map { try JSONText($0) }) }),
            .accountsAndContacts(.masterDetail))
    }

    private static func write(
        _ effect: RecordWrite.Effect, access: BlockedTrees.Access = .open, record: Int = 0, level: Int = 0
    ) throws -> RecordWrite {
        var write = RecordWrite(try page().levels[level].records[record], access)
        write.effect = effect
        return write
    }

    @Test(
        arguments: [
            (.inserted, .saved), (.updated, .saved), (.unchanged, .unchanged), (.skipped, .skipped(isKnown: false)),
        ] as [(UpsertResult.Outcome, RecordWrite.Effect)])
    func `The result of the upsert determines the effect`(
        outcome: UpsertResult.Outcome, effect: RecordWrite.Effect
    ) throws {
        var write = RecordWrite(try Self.page().levels[0].records[0], .open)
        #expect(write.effect == .skipped(isKnown: false))
        write.finish(UpsertResult(outcome, id: 7, version: 1, replacesLocalChanges: true))
        #expect(write.effect == effect)
        #expect(write.result?.id == 7)
        #expect(write.counts.replaced == 1)
    }

    @Test(
        arguments: [
            (.saved, RecordCounts(saved: 1), false), (.unchanged, RecordCounts(unchanged: 1), false),
            (.merged, RecordCounts(merged: 1), false), (.conflicted, RecordCounts(conflicted: 1), false),
            (.skipped(isKnown: true), RecordCounts(skipped: 1), false),
            (.skipped(isKnown: false), RecordCounts(skipped: 1), true),
        ] as [(RecordWrite.Effect, RecordCounts, Bool)])
    func `Each effect is counted once`(effect: RecordWrite.Effect, counts: RecordCounts, isMissing: Bool) throws {
        let write = try Self.write(effect)
        #expect(write.counts == counts)
        #expect(write.isMissing == isMissing)
    }

    /// A child, and its contribution to the marks of its level.
    struct Child: Sendable, CustomTestStringConvertible {
        var effect: RecordWrite.Effect
        var access: BlockedTrees.Access = .open
        var record = 0
        var seen: WatermarkAccumulator
        var testDescription: String { "\(effect), \(access), record \(record)" }
    }

    private static let known = WatermarkAccumulator(highest: date)
    private static let held = WatermarkAccumulator(lowestSkipped: date)

    @Test(arguments: [
        Child(effect: .saved, seen: known), Child(effect: .unchanged, seen: known), Child(effect: .merged, seen: known),
        Child(effect: .conflicted, seen: known), Child(effect: .skipped(isKnown: true), seen: known),
        Child(effect: .skipped(isKnown: false), seen: held),
        Child(effect: .skipped(isKnown: false), record: 1, seen: WatermarkAccumulator(skippedWithoutDate: true)),
        Child(effect: .saved, record: 1, seen: WatermarkAccumulator()),
        Child(effect: .skipped(isKnown: false), access: .blocked, seen: held),
        Child(effect: .skipped(isKnown: false), access: .blockedWithRoot, seen: WatermarkAccumulator()),
        Child(effect: .saved, access: .blockedWithRoot, seen: known),
    ])
    func `A child moves the mark of its own level`(child: Child) throws {
        let page = try Self.page()
        let write = try Self.write(child.effect, access: child.access, record: child.record, level: 1)
        var saved = SavedPage(of: .accountsAndContacts(.masterDetail))
        saved.add([write], of: page.levels[1], isTree: true, latest: .max, counted: CountedRecords())
        var expected = SavedPage(of: .accountsAndContacts(.masterDetail))
        expected.counts = write.counts
        (expected.records, expected.newRecords) = (1, 1)
        if child.effect == .saved { expected.savedBySoup = ["contacts": 1] }
        expected.levels = [child.seen]
        #expect(saved == expected)
    }

    @Test func `A root is counted, and moves the mark of the query`() throws {
        let page = try Self.page()
        var saved = SavedPage(querySecond: Self.date, of: .accountsAndContacts(.masterDetail))
        saved.add(
            [try Self.write(.saved)], of: page.levels[0], isTree: true, latest: Self.date, counted: CountedRecords())
        #expect(saved.count == 1)
        #expect(saved.seen == WatermarkAccumulator(hasLaterChange: true))
        #expect(saved.levels == [WatermarkAccumulator()])
    }

    @Test func `A record that returns is counted once`() throws {
        let level = try Self.page().levels[0]
        let counted = CountedRecords()
        var saved = SavedPage(of: .accountsAndContacts(.masterDetail))
        for _ in 0..<2 {
            saved.add([try Self.write(.saved)], of: level, isTree: true, latest: .max, counted: counted)
        }
        #expect(saved.count == 2)
        #expect(saved.counts.saved == 1)
        #expect(saved.savedBySoup == ["accounts": 1])
    }
}
