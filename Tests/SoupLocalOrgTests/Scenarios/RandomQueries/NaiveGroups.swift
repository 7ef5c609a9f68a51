// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupSalesforce
import SoupCore

/// Groups rows, and counts and sums them.
struct NaiveGroups {
    let query: SOQLQuery
    let conditions: NaiveConditions

    private typealias Value = NaiveConditions.Value

    /// Rows with equal keys; a subtotal uses only some of the keys.
    private struct Group {
        var rows: [NaiveRow]
        var keys: [Value]
        /// The positions of the keys of the group.
        var grouped: Set<Int>
    }

    private var keys: [SOQLOperand] { query.grouping?.keys ?? [] }

    func records(of rows: [NaiveRow]) -> [JSONValue] {
        var groups: [Group] = []
        for set in sets {
            var found: [Group] =
                set.isEmpty
                ? [Group(rows: [], keys: keys.map { _ in Value(json: .null, kind: .text) }, grouped: set)] : []
            for row in rows {
                let values = keys.enumerated().map { index, key in
                    let value = conditions.value(key, of: row)
                    return set.contains(index) ? value : Value(json: .null, kind: value.kind)
                }
                if let index = found.firstIndex(where: { Self.same($0.keys, values) || set.isEmpty }) {
                    found[index].rows.append(row)
                } else {
                    found.append(Group(rows: [row], keys: values, grouped: set))
                }
            }
            groups += found
        }
        groups = groups.filter { group in
            guard let having = query.having else { return true }
            return conditions.holds(having) { conditions.holds($0, value($0.operand, of: group)) }
        }
        return sorted(groups).map(record)
    }

    private var sets: [Set<Int>] {
        let all = Array(keys.indices)
        switch query.grouping?.kind {
        case .rollup: return (0...all.count).map { Set(all.prefix($0)) }
        case .cube: return all.reduce([[]]) { sets, key in sets + sets.map { $0.union([key]) } }
        default: return [Set(all)]
        }
    }

    private static func same(_ left: [Value], _ right: [Value]) -> Bool {
        zip(left, right).allSatisfy { left, right in
            left.json.isNull || right.json.isNull
                ? left.json.isNull && right.json.isNull
                : NaiveConditions.order(left.json, right.json, of: left.kind) == 0
        }
    }

    private func sorted(_ groups: [Group]) -> [Group] {
        groups.sorted { left, right in
            for key in query.order {
                let (a, b) = (value(key.key, of: left), value(key.key, of: right))
                let order = NaiveEvaluator.order(a.json, b.json, of: a.kind, by: key)
                if order != 0 { return order < 0 }
            }
            for index in keys.indices {
                if left.grouped.contains(index) != right.grouped.contains(index) { return left.grouped.contains(index) }
                let (a, b) = (left.keys[index], right.keys[index])
                let order = NaiveEvaluator.order(a.json, b.json, of: a.kind, by: SOQLSortKey(keys[index]))
                if order != 0 { return order < 0 }
            }
            return false
        }
    }

    private func record(_ group: Group) -> JSONValue {
        var record: JSONObject = ["attributes": ["type": "AggregateResult"]]
        var unnamed = 0
        for item in query.items {
            switch item {
            case .path(let path, let alias): record[alias ?? path.last] = value(.path(path), of: group).json
            case .call(let call, let alias):
                record[alias ?? "expr\(unnamed)"] = value(.call(call), of: group).json
                if alias == nil { unnamed += 1 }
            default: break
            }
        }
        return .object(record)
    }

    private func value(_ operand: SOQLOperand, of group: Group) -> Value {
        if let index = keys.firstIndex(of: operand) { return group.keys[index] }
        if case .path(let path) = operand {
            // An alias in ORDER BY.
            for case .call(let call, let alias?) in query.items where alias == path.last {
                return value(.call(call), of: group)
            }
        }
        guard case .call(let call) = operand else { return Value(json: .null, kind: .text) }
        if call.name == "GROUPING", let path = call.onlyPath, let index = keys.firstIndex(of: .path(path)) {
            return Value(json: .int(group.grouped.contains(index) ? 0 : 1), kind: .int)
        }
        guard let path = call.onlyPath else { return Value(json: .int(Int64(group.rows.count)), kind: .int) }
        let all = group.rows.map { conditions.value(path, of: $0) }
        let kind = all.first?.kind ?? .text
        let values = all.map(\.json).filter { !$0.isNull }
        switch call.name {
        case "COUNT": return Value(json: .int(Int64(values.count)), kind: .int)
        case "COUNT_DISTINCT":
            var distinct: [JSONValue] = []
            for value in values where !distinct.contains(where: { NaiveConditions.order($0, value, of: kind) == 0 }) {
                distinct.append(value)
            }
            return Value(json: .int(Int64(distinct.count)), kind: .int)
        case "SUM":
            return Value(json: values.isEmpty ? .null : .double(Self.sum(values)), kind: kind)
        case "AVG":
            return Value(json: values.isEmpty ? .null : .double(Self.sum(values) / Double(values.count)), kind: .real)
        default:
            let sign = call.name == "MIN" ? 1 : -1
            let best = values.min { NaiveConditions.sortOrder($0, $1, of: kind) * sign < 0 }
            return Value(json: best ?? .null, kind: kind)
        }
    }

    private static func sum(_ values: [JSONValue]) -> Double { values.reduce(0) { $0 + ($1.doubleValue ?? 0) } }
}
