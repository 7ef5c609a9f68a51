// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import SoupCore
import SoupTesting

/// A row as a dictionary, with field names in their own case and in lower case.
struct NaiveRow {
    var object: String
    var values: [String: JSONValue]

    subscript(field: String) -> JSONValue { values[field] ?? values[field.lowercased()] ?? .null }
    var id: String { self["Id"].stringValue ?? "" }
    var isDeleted: Bool { self["IsDeleted"] == true }
}

/// An org with random rows, and a copy of the rows in memory.
struct QueryWorld {
    let client: OrgClient
    /// The time of the org in milliseconds since 1970.
    let now: Int64
    let userId: String
    /// All rows by object, in the order of their IDs.
    private(set) var rows: [String: [NaiveRow]] = [:]
    private(set) var byId: [String: NaiveRow] = [:]
    /// The IDs of all rows.
    private(set) var ids: [String] = []

    static let texts = [
        "acme", "Acme", "ACME corp", "äpfel", "Äpfel", "zebra", "100%_x", "a'b", "back\\slash", "x", "Ω mega",
        "tab\tbed",
        "漢字", "ab", "Abc", "line\nfeed",
    ]
    static let choices = ["a", "b", "cc", "Ä"]

    init(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let moments = [
            "2024-02-29T13:45:10Z", "2023-12-31T23:59:59Z", "2024-01-01T00:00:00Z", "2026-03-31T08:00:00Z",
            "2025-07-06T12:00:00Z", "2024-10-01T00:00:01Z",
        ]
        let moment = moments[Int(seed % UInt64(moments.count))]
        now = DateText.milliseconds(moment) ?? 0
        let document: JSONValue = [
            "freeze": .string(moment), "objects": QueryModel.objects,
            "seed": .array(QueryWorldRows.all(now: now, random: &random)),
        ]
        client = try OrgClient(try OrgSeed(json: Array(try JSONText(document).bytes)))
        userId = client.org.id(of: "me") ?? ""
        for entity in QueryModel.entities {
            let found = try client.org.state(of: entity.name).map { json in
                NaiveRow(
                    object: entity.name,
                    values: Dictionary(
                        (json.objectValue?.members ?? []).flatMap {
                            [($0.key, $0.value), ($0.key.lowercased(), $0.value)]
                        }
                    ) { first, _ in first })
            }
            rows[entity.name] = found.sorted { Array($0.id.utf8).lexicographicallyPrecedes(Array($1.id.utf8)) }
            for row in found { byId[row.id] = row }
            ids += found.map(\.id)
        }
    }

    /// Returns an instant near now, or at the start or end of a day near now.
    static func someInstant(_ now: Int64, _ random: inout SeededRandom) -> Int64 {
        let day: Int64 = 86_400_000
        let midnight = now / day * day
        switch Int.random(in: 0..<6, using: &random) {
        case 0: return midnight + Int64.random(in: -3...3, using: &random) * day
        case 1: return midnight + Int64.random(in: -3...3, using: &random) * day - 1
        case 2: return now + Int64.random(in: -2...2, using: &random) * 1000
        case 3: return midnight + Int64.random(in: -800...800, using: &random) * day
        case 4: return now + Int64.random(in: -40...40, using: &random) * day
        default: return now + Int64.random(in: -day * 100...day * 100, using: &random)
        }
    }
}
