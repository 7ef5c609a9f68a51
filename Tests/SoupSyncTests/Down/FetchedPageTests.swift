// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupTesting
import Testing

@testable import SoupSync

/// The values that are read from a page in one pass.
@Suite struct FetchedPageTests {
    private static let layout = RecordLayout(levels: [
        RecordLayout.Level(soup: "accounts"),
        RecordLayout.Level(
            soup: "contacts", idField: "Key", modificationDateField: "Changed.At", parentIdField: "Account.Id"),
    ])
    /// The paths that a store could have indexed.
    private static let indexed: [JSONPath] = [
        "Name", "Id", "Key", "Account.Id", "Account", "Changed.At", "Tags.Id", "",
    ]

    /// Members of records: repeated, nested and escaped ones among them.
    private static let members = [
        #""LastModifiedDate":"2024-05-06T07:08:09.000+0000""#, #""LastModifiedDate" : "2024-05-06\u005408:08:09Z""#,
        #""LastModifiedDate":null"#, #""LastModifiedDate":"soon""#, #""Last\u004dodifiedDate":"2023-01-01T00:00:00Z""#,
        #""Changed":{"By":"x","At":"2024-05-06T07:08:09Z"}"#, #""Changed":"2024-05-06T07:08:09Z""#,
        #""Changed": [ {"At":"2024-05-06T07:08:09Z"} ]"#, #""Account":{"Id":"a1","Id":"a2"}"#, #""Account":null"#,
        #""Account":{"Name":"Id","\u0049d":17}"#, #""Account":[{"Id":"a3"},{"Id":"a4"}]"#, #""Account":{}"#,
        #""Name":"\"Id\":\"no\"""#, #""Name":"Ä\\""#, #""Tags":[{"Id":1},{"Id":[2]},{}]"#, #""Id":"second""#,
        #""K\u0065y":"second""#, #""":{"Id":"no"}"#,
    ]

    /// Returns a record with an ID, and random other members before and after it.
    private func record(id name: String, using random: inout SeededRandom) -> String {
        let ids = [#""003A""#, #""\u0030\/B""#, "17", "1.50", "true", #"{"Id":1}"#, #"[{"Id":1}]"#]
        let id = "\"\(name)\": \(ids.randomElement(using: &random) ?? "")"
        let others = Self.members.shuffled(using: &random).prefix(Int.random(in: 0...6, using: &random))
        let place = Int.random(in: 0...others.count, using: &random)
        return "{ " + (others.prefix(place) + [id] + others.dropFirst(place)).joined(separator: " ,\n") + "}"
    }

    private func stamp(using random: inout SeededRandom) -> RecordBatch.Stamp {
        let stamps = [
            RecordBatch.Stamp.none, .none.setting("Account.Id", .string("stamped")),
            .none.setting("LastModifiedDate", .string("2020-02-02T02:02:02Z")).setting("Id", .integer(5)),
            .none.setting("LastModifiedDate", nil).setting("Key", .string("stamped")),
        ]
        return stamps.randomElement(using: &random) ?? .none
    }

    /// Returns the value of a stored entry at a path, read in a separate pass.
    private func value(_ name: String, of record: JSONText, _ stamp: RecordBatch.Stamp) -> JSONValue? {
        if let member = stamp.members.last(where: { $0.name == name }) { return member.value?.value }
        return record[JSONPath(name)]
    }

    private func check(_ level: FetchedLevel, against texts: [String], _ stamps: [RecordBatch.Stamp]) throws {
        #expect(level.records.map(\.index) == Array(texts.indices))
        for record in level.records {
            let text = try JSONText(texts[record.index])
            let stamp = stamps[record.index]
            let layout = level.layout
            #expect(level.batch[record.index] == text)
            let date = value(layout.modificationDateField, of: text, stamp)?.stringValue
            #expect(record.date == date.flatMap { DateText.milliseconds($0) }, "\(text)")
            #expect(level.id(of: record)?.value.idText == value(layout.idField, of: text, stamp)?.idText, "\(text)")
            #expect(record.link?.id == value(layout.idField, of: text, stamp)?.idText, "\(text)")
            let parentId = layout.parentIdField.flatMap { value($0, of: text, stamp)?.idText }
            #expect(record.link?.parentId == parentId, "\(text)")
            var projected = JSONProjected()
            try level.batch.project(JSONProjection(Self.indexed), of: record.index, into: &projected)
            let found = projected.fields.map {
                JSONText.text(of: $0, in: level.batch.bytes[...], collected: projected.collected)?.value
            }
            #expect(found == Self.indexed.map { text[$0] }, "\(text)")
        }
    }

    @Test func `One pass returns what separate passes return`() throws {
        var random = SeededRandom(seed: 31)
        for _ in 0..<200 {
            let texts = ["Id", "Key"].map { id in (0..<4).map { _ in record(id: id, using: &random) } }
            let stamps = texts.map { $0.map { _ in stamp(using: &random) } }
            let bytes = texts.map { Array("[ \($0.joined(separator: " , ")) ]".utf8) }
            let scans = try bytes.map { try JSONScanner.page($0, recordsAt: "") }
            let scanned = try FetchedPage(
                RecordPage(levels: [0, 1].map { RecordBatch(bytes: bytes[$0], scan: scans[$0], stamps: stamps[$0]) }),
                Self.layout)
            // Ranges of a target that does not scan, with the white space and without the positions of members.
            let plain = try FetchedPage(
                RecordPage(
                    levels: [0, 1].map { level in
                        let ranges = scans[level].records.map { $0.lowerBound - 1..<$0.upperBound + 1 }
                        return RecordBatch(bytes: bytes[level], ranges: ranges, stamps: stamps[level])
                    }), Self.layout)
            for level in [0, 1] {
                #expect(scanned.levels[level].position == level)
                try check(scanned.levels[level], against: texts[level], stamps[level])
                #expect(plain.levels[level].records == scanned.levels[level].records)
                try check(plain.levels[level], against: texts[level], stamps[level])
            }
        }
    }

    @Test func `Only records of trees have IDs as text`() throws {
        let layout = RecordLayout(levels: [RecordLayout.Level(soup: "contacts")])
        let page = RecordPage(RecordBatch([try JSONText(#"{"Id":"003A","AccountId":"001A"}"#)]))
        let level = try #require(try FetchedPage(page, layout).levels.first)
        #expect(level.records.map(\.link) == [nil])
        #expect(level.records.map { level.id(of: $0)?.string } == ["003A"])
    }

    @Test(arguments: [
        (#"{"Name":"x"}"#, #"record 1 of the page for soup "contacts" has no "Id""#),
        (#"{"Id":null}"#, #"record 1 of the page for soup "contacts" has no "Id""#),
        (#"{"Id":""}"#, #"record 1 of the page for soup "contacts" has no "Id""#),
        ("17", #"record 1 of the page for soup "contacts" is invalid: expected an object, at byte 13"#),
        (#"{"Id":"#, #"record 1 of the page for soup "contacts" is invalid: the text ends in the middle of a value"#),
    ])
    func `Records without an ID are refused`(text: String, message: String) throws {
        let bytes = Array((#"{"Id":"003A"}"# + text).utf8)
        let batch = RecordBatch(bytes: bytes, ranges: [0..<13, 13..<bytes.count])
        let layout = RecordLayout(levels: [RecordLayout.Level(soup: "contacts")])
        let error = #expect(throws: SoupError.self) { try FetchedPage(RecordPage(batch), layout) }
        #expect(error?.code == .json)
        #expect(error?.message.hasPrefix(message) == true, "\(error as Any)")
    }
}
