// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import SoupKit

/// The document with which the org of a test begins: a seed, and the rows of the test.
struct TestSeed {
    /// The seed document, without a stopped clock: the org follows the clock of the test.
    let document: JSONObject
    /// The time at which the test begins, in milliseconds since 1970.
    let time: Int64
    /// The keys of the rows and users of the base.
    let keys: Set<String>
    private let rows: [TestCase.GivenRow]
    /// The number of rows before those of the test.
    private let offset: Int

    /// The modification time of rows, unless the seed names another: 2024-01-15T12:00:00Z.
    static let stamp: Int64 = 1_705_320_000_000
    /// The time between the modification of the rows and the beginning of the test.
    static let age: Int64 = 300_000

    /// - Parameter base: the document of the seed; empty for none.
    init(_ base: JSONObject, adding rows: [TestCase.GivenRow]) {
        func time(_ key: String) -> Int64? { base[key]?.stringValue.flatMap { DateText.milliseconds($0) } }
        let seeded = base["seed"]?.arrayValue ?? []
        let stamp = time("stamp") ?? time("freeze") ?? Self.stamp
        var document = base
        document["freeze"] = nil
        document["stamp"] = .string(DateText.format(stamp, zone: "Z"))
        document["seed"] = .array(
            seeded
                + rows.map { row in
                    var object: JSONObject = ["object": .string(row.object)]
                    object["key"] = row.name.map { .string($0) }
                    object["values"] = .object(Self.unescaped(row.fields))
                    return .object(object)
                })
        self.document = document
        let users = base["users"]?.arrayValue ?? []
        keys = Set((seeded + users).compactMap { $0["key"]?.stringValue } + ["me", "other"])
        self.time = time("freeze") ?? stamp + Self.age
        self.rows = rows
        offset = seeded.count
    }

    /// Returns the fields of a row with `@@text` replaced by `@text`; the org itself replaces `@name`.
    private static func unescaped(_ fields: JSONObject) -> JSONObject {
        JSONObject(
            fields.members.map { key, value in
                guard let text = value.stringValue, text.hasPrefix("@@") else { return (key: key, value: value) }
                return (key: key, value: .string(String(text.dropFirst())))
            })
    }

    /// Returns the path in the test file for a path in the document: `seed[4].values.Phone` can be
    /// `org.rows.Contact[1].Phone`.
    ///
    /// - Returns: nil for a part of the base.
    func path(inTestOf path: String) -> String? {
        let start = "seed["
        guard path.hasPrefix(start), let end = path.firstIndex(of: "]"),
            let index = Int(path[path.index(path.startIndex, offsetBy: start.count)..<end]),
            rows.indices.contains(index - offset)
        else { return nil }
        let row = rows[index - offset].path.text
        let rest = path[path.index(after: end)...]
        if rest.hasPrefix(".values") { return row + rest.dropFirst(".values".count) }
        return rest == ".key" ? row + ".Id" : row
    }
}

#endif
