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
            "seed": .array(Self.seedRows(now, &random)),
        ]
        client = try OrgClient(try Seed(json: Array(try JSONText(document).bytes)))
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

    private static func seedRows(_ now: Int64, _ random: inout SeededRandom) -> [JSONValue] {
        func one<T>(_ values: [T]) -> T? {
            Int.random(in: 0..<5, using: &random) == 0 ? nil : values[Int.random(in: 0..<values.count, using: &random)]
        }
        func put(_ value: JSONValue?, as name: String, in values: inout JSONObject) {
            if let value { values[name] = value }
        }
        func row(_ object: String, key: String, _ values: JSONObject, isDeleted: Bool) -> JSONValue {
            [
                "object": .string(object), "key": .string(key), "values": .object(values), "deleted": .bool(isDeleted),
                "modified": .string(DateText.format(someInstant(now, &random) / 1000 * 1000, zone: "Z")),
            ]
        }
        var rows: [JSONValue] = []
        // Rows that are not deleted refer to rows that are not deleted.
        for number in 0..<12 {
            var values: JSONObject = ["Name": .string("\(one(texts) ?? "Account") \(number % 7)")]
            let isDeleted = number > 9
            put(one(["Hot", "Warm", "Cold"]).map { .string($0) }, as: "Rating", in: &values)
            put(one([0, 100, 2500, 1_000_000]).map { .int($0) }, as: "AnnualRevenue", in: &values)
            put(one([0, 1, 7, 50]).map { .int($0) }, as: "NumberOfEmployees", in: &values)
            put(one(["(555) 100-2000", "555 1", "+47 22"]).map { .string($0) }, as: "Phone", in: &values)
            if number > 2 { put(one([0, 1, 2]).map { .string("@a\($0)") }, as: "ParentId", in: &values) }
            rows.append(row("Account", key: "a\(number)", values, isDeleted: isDeleted))
        }
        for number in 0..<26 {
            let isDeleted = number > 23
            var values: JSONObject = ["Flag__c": .bool(Bool.random(using: &random))]
            put(one(texts).map { .string($0) }, as: "Text__c", in: &values)
            put(
                one(["C", "c", "K", "k_"]).map { .string("\($0)\(number / 2)\(number % 2 == 0 ? "x" : "X")") },
                as: "Code__c", in: &values)
            put(one(["Red", "Green", "Blue"]).map { .string($0) }, as: "Pick__c", in: &values)
            let chosen = choices.filter { _ in Bool.random(using: &random) }
            if !chosen.isEmpty { values["Multi__c"] = .string(chosen.joined(separator: ";")) }
            put(one([-3, 0, 1, 2, 3, 40]).map { .int($0) }, as: "Count__c", in: &values)
            put(one([-10.25, 0, 0.5, 99.75, 1200]).map { .double($0) }, as: "Amount__c", in: &values)
            put(one([-0.125, 0, 0.5, 1.5, 2]).map { .double($0) }, as: "Ratio__c", in: &values)
            let instant = someInstant(now, &random)
            put(
                one([instant]).map { .string(String(DateText.format($0, zone: "Z").prefix(10))) }, as: "Day__c",
                in: &values)
            put(
                one([someInstant(now, &random)]).map { .string(DateText.format($0, zone: "Z")) }, as: "At__c",
                in: &values)
            put(
                one(["00:00:00.000Z", "09:30:00.000Z", "23:59:59.999Z"]).map { .string($0) }, as: "Clock__c",
                in: &values)
            put(one(Array(0..<10)).map { .string("@a\($0)") }, as: "Account__c", in: &values)
            if number > 5 { put(one(Array(0..<6)).map { .string("@t\($0)") }, as: "Parent__c", in: &values) }
            put(one(["@a1", "@a2", "@a3", "@t0", "@t1"]).map { .string($0) }, as: "Any__c", in: &values)
            rows.append(row("Thing__c", key: "t\(number)", values, isDeleted: isDeleted))
        }
        for number in 0..<30 {
            var values: JSONObject = ["Thing__c": .string("@t\(Int.random(in: 0..<14, using: &random))")]
            put(one(texts).map { .string($0) }, as: "Text__c", in: &values)
            put(one([0, 1, 2, 9]).map { .int($0) }, as: "Count__c", in: &values)
            put(
                one([someInstant(now, &random)]).map { .string(String(DateText.format($0, zone: "Z").prefix(10))) },
                as: "Day__c", in: &values)
            rows.append(row("Part__c", key: "p\(number)", values, isDeleted: number > 27))
        }
        return rows
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
