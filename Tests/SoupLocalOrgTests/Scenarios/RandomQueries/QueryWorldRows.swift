// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupTesting

/// Makes the random rows of a ``QueryWorld``, as rows of a seed.
///
/// Rows that are not deleted refer to rows that are not deleted.
struct QueryWorldRows {
    private let now: Int64
    private var random: SeededRandom
    private var values = JSONObject()

    static func all(now: Int64, random: inout SeededRandom) -> [JSONValue] {
        var rows = QueryWorldRows(now: now, random: random)
        let accounts = (0..<12).map { rows.account($0) }
        let things = (0..<26).map { rows.thing($0) }
        let parts = (0..<30).map { rows.part($0) }
        random = rows.random
        return accounts + things + parts
    }

    private init(now: Int64, random: SeededRandom) { (self.now, self.random) = (now, random) }

    // MARK: Objects

    private mutating func account(_ number: Int) -> JSONValue {
        values = ["Name": .string("\(one(QueryWorld.texts) ?? "Account") \(number % 7)")]
        put("Rating", text: one(["Hot", "Warm", "Cold"]))
        put("AnnualRevenue", number: one([0, 100, 2500, 1_000_000]))
        put("NumberOfEmployees", number: one([0, 1, 7, 50]))
        put("Phone", text: one(["(555) 100-2000", "555 1", "+47 22"]))
        if number > 2 { put("ParentId", text: one(["@a0", "@a1", "@a2"])) }
        return row("Account", key: "a\(number)", isDeleted: number > 9)
    }

    private mutating func thing(_ number: Int) -> JSONValue {
        values = ["Flag__c": .bool(Bool.random(using: &random))]
        put("Text__c", text: one(QueryWorld.texts))
        let code = one(["C", "c", "K", "k_"])
        put("Code__c", text: code.map { "\($0)\(number / 2)\(number % 2 == 0 ? "x" : "X")" })
        put("Pick__c", text: one(["Red", "Green", "Blue"]))
        let chosen = QueryWorld.choices.filter { _ in Bool.random(using: &random) }
        if !chosen.isEmpty { values["Multi__c"] = .string(chosen.joined(separator: ";")) }
        putNumbersAndTimes()
        put("Account__c", text: one((0..<10).map { "@a\($0)" }))
        if number > 5 { put("Parent__c", text: one((0..<6).map { "@t\($0)" })) }
        put("Any__c", text: one(["@a1", "@a2", "@a3", "@t0", "@t1"]))
        return row("Thing__c", key: "t\(number)", isDeleted: number > 23)
    }

    private mutating func putNumbersAndTimes() {
        put("Count__c", number: one([-3, 0, 1, 2, 3, 40]))
        values["Amount__c"] = one([-10.25, 0, 0.5, 99.75, 1200]).map { .double($0) }
        values["Ratio__c"] = one([-0.125, 0, 0.5, 1.5, 2]).map { .double($0) }
        put("Day__c", text: oneInstant().map { String($0.prefix(10)) })
        put("At__c", text: oneInstant())
        put("Clock__c", text: one(["00:00:00.000Z", "09:30:00.000Z", "23:59:59.999Z"]))
    }

    private mutating func part(_ number: Int) -> JSONValue {
        values = ["Thing__c": .string("@t\(Int.random(in: 0..<14, using: &random))")]
        put("Text__c", text: one(QueryWorld.texts))
        put("Count__c", number: one([0, 1, 2, 9]))
        put("Day__c", text: oneInstant().map { String($0.prefix(10)) })
        return row("Part__c", key: "p\(number)", isDeleted: number > 27)
    }

    // MARK: Values

    /// Returns one of the values; nil in a fifth of the calls.
    private mutating func one<T>(_ values: [T]) -> T? {
        Int.random(in: 0..<5, using: &random) == 0 ? nil : values[Int.random(in: 0..<values.count, using: &random)]
    }

    private mutating func oneInstant() -> String? {
        let instant = QueryWorld.someInstant(now, &random)
        return one([DateText.format(instant, zone: "Z")])
    }

    private mutating func put(_ name: String, text: String?) { if let text { values[name] = .string(text) } }

    private mutating func put(_ name: String, number: Int64?) { if let number { values[name] = .int(number) } }

    private mutating func row(_ object: String, key: String, isDeleted: Bool) -> JSONValue {
        let modified = QueryWorld.someInstant(now, &random) / 1000 * 1000
        return [
            "object": .string(object), "key": .string(key), "values": .object(values), "deleted": .bool(isDeleted),
            "modified": .string(DateText.format(modified, zone: "Z")),
        ]
    }
}
