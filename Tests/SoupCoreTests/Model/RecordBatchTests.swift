// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Testing

/// Batches whose records are read from bytes and ranges, and scanned once.
@Suite struct RecordBatchTests {
    private static let projection = JSONProjection(["a", "b", "a.b", "a.b.c", "Id", "kA", "ключ", "b.a", "c.Name", ""])

    /// A batch of generated records, each of which has white space around it in its range.
    private func batch(_ generator: inout JSONGenerator) -> RecordBatch {
        var bytes = Array("[".utf8)
        var ranges: [Range<Int>] = []
        var stamps: [RecordBatch.Stamp] = []
        for number in 0..<5 {
            let start = bytes.count
            bytes += Array((generator.space() + generator.object(depth: 4) + generator.space()).utf8)
            ranges.append(start..<bytes.count)
            stamps.append(RecordBatch.Stamp().setting("Id", .integer(number)))
            bytes += Array(",".utf8)
        }
        return RecordBatch(bytes: bytes, ranges: ranges, stamps: stamps)
    }

    private func found(_ index: Int, in batch: RecordBatch) throws -> [JSONText?] {
        var result = JSONProjected()
        try batch.project(Self.projection, of: index, into: &result)
        let bytes = batch.bytes[...]
        return result.fields.map { JSONText.text(of: $0, in: bytes, collected: result.collected) }
            + result.repeated.map { JSONText(trusted: bytes[$0.member]) }
    }

    @Test func `A scanned batch contains the same records`() throws {
        var generator = JSONGenerator(seed: 19)
        for _ in 0..<300 {
            let plain = batch(&generator)
            let scanned = try plain.scanned()
            #expect(scanned.stamps == plain.stamps)
            for index in plain.ranges.indices {
                #expect(try scanned.record(index) == plain.record(index))
                #expect(try found(index, in: scanned) == found(index, in: plain))
                #expect(scanned[index] == (try plain.record(index)))
            }
            let last = scanned.filter { $0 == 4 }
            #expect(try found(0, in: last) == found(4, in: plain))
        }
    }

    @Test func `A damaged record has the error of a projection`() throws {
        var generator = JSONGenerator(seed: 20)
        for _ in 0..<3_000 {
            let bytes = generator.damaged(generator.object(depth: 3))
            let batch = RecordBatch(bytes: Array("{}".utf8) + bytes, ranges: [0..<2, 2..<bytes.count + 2])
            var result = JSONProjected()
            var expected: JSONError?
            do throws(JSONError) {
                try batch.project(Self.projection, of: 1, into: &result)
            } catch {
                expected = error
            }
            var thrown: RecordBatch.InvalidRecord?
            do throws(RecordBatch.InvalidRecord) {
                _ = try batch.scanned()
            } catch {
                thrown = error
            }
            #expect(thrown == expected.map { RecordBatch.InvalidRecord(index: 1, error: $0) })
        }
    }

    @Test(arguments: [-1..<2, 0..<9, 8..<9])
    func `A range outside the bytes is an error`(range: Range<Int>) throws {
        let batch = RecordBatch(bytes: Array("{}".utf8), ranges: [0..<2, range])
        let error = #expect(throws: RecordBatch.InvalidRecord.self) { try batch.scanned() }
        #expect(error?.index == 1)
        #expect(error?.error.reason == .unexpectedEnd)
        #expect(throws: JSONError(.unexpectedEnd, at: 2)) { try batch.record(1) }
    }

    @Test(arguments: [("[]", JSONError.Reason.notAnObject), (" ", .unexpectedEnd), ("{} {}", .trailingBytes)])
    func `Only objects are records`(text: String, reason: JSONError.Reason) throws {
        let batch = RecordBatch(bytes: Array(text.utf8), ranges: [0..<text.utf8.count])
        let error = #expect(throws: RecordBatch.InvalidRecord.self) { try batch.scanned() }
        #expect(error?.error.reason == reason)
        #expect(throws: JSONError.self) { try batch.record(0) }
    }

    /// A store would remove the member twice from the text of an entry.
    @Test func `A stamp contains each name once`() {
        let names = ["a", "b", "a"].enumerated().map { RecordBatch.Stamp.Member($1, .integer(Int64($0))) }
        let stamp = RecordBatch.Stamp(names)
        #expect(stamp.members.map { "\($0.name) \($0.value?.description ?? "")" } == ["a 2", "b 1"])
    }

    /// Otherwise two stamps of the same members give different bytes.
    @Test func `A member of a stamp is replaced at its position`() {
        let stamp = RecordBatch.Stamp().setting("a", .integer(1)).setting("b", .integer(2))
        let merged = stamp.merging(RecordBatch.Stamp().setting("c", .integer(3)).setting("a", .integer(4)))
        #expect(merged.members.map(\.name) == ["a", "b", "c"])
        #expect(merged.members.map { $0.value?.description } == ["4", "2", "3"])
    }
}
