// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupCore
import SoupSalesforce
import SoupTesting

/// Generates random trees of queries.
enum SOQLGenerator {
    static func query(_ random: inout SeededRandom, depth: Int) -> SOQLQuery {
        var items = (0...Int.random(in: 0..<3, using: &random)).map { _ in item(&random, depth: depth) }
        if items.isEmpty { items = [.path(SOQLPath(["Id"]), alias: nil)] }
        var query = SOQLQuery(items, from: SOQLSource(path(&random), alias: pick([nil, "a"], &random)))
        query.condition = pick([true, false], &random) ? condition(&random, depth: depth) : nil
        query.scope = pick([nil, nil, "mine"], &random)
        query.with = pick([nil, nil, "SECURITY_ENFORCED"], &random)
        if pick([true, false], &random) {
            query.order = [
                SOQLSortKey(
                    .path(path(&random)), descending: pick([true, false], &random),
                    nulls: pick([nil, .first, .last], &random))
            ]
        }
        if pick([true, false, false], &random) {
            let keys: [SOQLOperand] = [.path(path(&random)), .call(SOQLCall("DAY_ONLY", [.path(path(&random))]))]
            query.grouping = SOQLGrouping(pick([.plain, .rollup, .cube], &random), keys)
            query.having = pick([true, false], &random) ? condition(&random, depth: depth) : nil
        }
        query.joins = pick([[], [SOQLSource(SOQLPath(["a", "Account"]), alias: "b")]], &random)
        query.allRows = pick([false, true], &random)
        query.tracking = pick([[], ["TRACKING"], ["TRACKING", "VIEWSTAT"]], &random)
        query.limit = pick([nil, 0, 200], &random)
        query.offset = pick([nil, 7], &random)
        query.purposes = pick([[], [.view], [.reference, .view]], &random)
        return query
    }

    static func condition(_ random: inout SeededRandom, depth: Int) -> SOQLCondition {
        guard depth > 0 else { return comparison(&random, depth: depth) }
        func terms(_ random: inout SeededRandom) -> [SOQLCondition] {
            (0..<Int.random(in: 2..<4, using: &random)).map { _ in comparison(&random, depth: depth - 1) }
        }
        switch Int.random(in: 0..<5, using: &random) {
        case 0: return .and(terms(&random))
        case 1: return .or(terms(&random))
        case 2: return .not(.group(condition(&random, depth: depth - 1)))
        case 3: return .group(condition(&random, depth: depth - 1))
        default: return comparison(&random, depth: depth)
        }
    }

    private static func comparison(_ random: inout SeededRandom, depth: Int) -> SOQLCondition {
        let operand: SOQLOperand =
            pick([true, false, false], &random)
            ? .call(SOQLCall("CALENDAR_YEAR", [.path(path(&random))])) : .path(path(&random))
        let test: SOQLComparison.Test
        switch Int.random(in: 0..<6, using: &random) {
        case 0: test = .like(pattern: pick(["a%", "\\%_\\_", "it's\n", ""], &random))
        case 1: test = .isIn([value(&random), value(&random)], negated: pick([true, false], &random))
        case 2: test = .includes(["a;b", "c'"], negated: pick([true, false], &random))
        case 3 where depth > 0:
            test = .isInQuery(query(&random, depth: depth - 1), negated: pick([true, false], &random))
        default: test = .compare(pick([.equal, .notEqual, .less, .greaterOrEqual], &random), value(&random))
        }
        return .comparison(SOQLComparison(operand, test))
    }

    private static func value(_ random: inout SeededRandom) -> SOQLValue {
        pick(
            [
                .string("it's \\ \u{1} é"), .number("-1.50"), .number("12345678901234567890"), .bool(true), .null,
                .date("2024-01-31"), .dateTime(Date(millisecondsSince1970: 1_705_320_000_123)), .time("10:20:30.000Z"),
                .currency(code: "EUR", amount: "5.00"), .currency(code: "JPY", amount: "-7"),
                .dateLiteral(SOQLDateLiteral("LAST_N_DAYS", count: 30)),
                .dateLiteral(SOQLDateLiteral("TODAY")), .string(""),
            ], &random)
    }

    private static func item(_ random: inout SeededRandom, depth: Int) -> SOQLSelectItem {
        switch Int.random(in: 0..<5, using: &random) {
        case 0 where depth > 0: return .child(query(&random, depth: depth - 1))
        case 1: return .call(SOQLCall("COUNT", []), alias: pick([nil, "n"], &random))
        case 2:
            return .typeOf(
                SOQLTypeOf(path(&random), [.init("Account", [path(&random)])], otherwise: [path(&random)]))
        default: return .path(path(&random), alias: nil)
        }
    }

    private static func path(_ random: inout SeededRandom) -> SOQLPath {
        SOQLPath(pick([["Id"], ["Account", "Name"], ["Order"], ["a", "b", "c__r", "D__c"]], &random))
    }

    private static func pick<T>(_ values: [T], _ random: inout SeededRandom) -> T {
        values[Int.random(in: 0..<values.count, using: &random)]
    }
}
