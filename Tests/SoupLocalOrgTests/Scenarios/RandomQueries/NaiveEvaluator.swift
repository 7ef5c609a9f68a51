// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupSalesforce
import SoupCore

/// Evaluates queries row by row over dictionaries: slow, simple, and independent of the org's code.
struct NaiveEvaluator {
    let world: QueryWorld
    /// Whether queries include deleted rows.
    let seesDeleted: Bool

    var conditions: NaiveConditions { NaiveConditions(world: world) }

    func answer(to query: SOQLQuery) -> JSONValue {
        let name = query.source.path.description
        let rows = found(query, among: world.rows[QueryModel.entity(name)?.name ?? ""] ?? [])
        if query.items == [.call(SOQLCall("COUNT", []), alias: nil)], query.grouping == nil {
            return ["totalSize": .int(Int64(cut(rows, query).count)), "done": true, "records": []]
        }
        if query.isAggregate {
            let groups = cut(NaiveGroups(query: query, conditions: conditions).records(of: rows), query)
            return ["totalSize": .int(Int64(groups.count)), "done": true, "records": .array(groups)]
        }
        let records = cut(sorted(rows, query.order), query).map { record($0, query.items) }
        return ["totalSize": .int(Int64(records.count)), "done": true, "records": .array(records)]
    }

    /// Returns the rows of a query, before order and limit.
    private func found(_ query: SOQLQuery, among rows: [NaiveRow]) -> [NaiveRow] {
        rows.filter { row in
            (seesDeleted || !row.isDeleted) && (query.condition.map { conditions.holds($0, row) } ?? true)
                && (query.scope?.lowercased() != "mine" || row["OwnerId"] == .string(world.userId))
        }
    }

    private func cut<T>(_ rows: [T], _ query: SOQLQuery) -> [T] {
        Array(rows.dropFirst(query.offset ?? 0).prefix(query.limit ?? rows.count))
    }

    private func sorted(_ rows: [NaiveRow], _ order: [SOQLSortKey]) -> [NaiveRow] {
        let keyed = rows.enumerated().map { index, row in
            (index: index, row: row, keys: order.map { key in conditions.value(key.key, of: row) })
        }
        return keyed.sorted { left, right in
            for (index, key) in order.enumerated() {
                let order = Self.order(
                    left.keys[index].json, right.keys[index].json, of: left.keys[index].kind, by: key)
                if order != 0 { return order < 0 }
            }
            return left.index < right.index
        }.map(\.row)
    }

    /// Compares two values; missing values are first unless the key says otherwise.
    static func order(_ left: JSONValue, _ right: JSONValue, of kind: QueryModel.Kind, by key: SOQLSortKey) -> Int {
        if left.isNull && right.isNull { return 0 }
        if left.isNull || right.isNull { return (left.isNull ? -1 : 1) * (key.nulls == .last ? -1 : 1) }
        return NaiveConditions.sortOrder(left, right, of: kind) * (key.descending ? -1 : 1)
    }

    // MARK: Records

    private func head(_ row: NaiveRow) -> JSONObject {
        [
            "attributes": [
                "type": .string(row.object), "url": .string("/services/data/v60.0/sobjects/\(row.object)/\(row.id)"),
            ]
        ]
    }

    private func record(_ row: NaiveRow, _ items: [SOQLSelectItem]) -> JSONValue {
        var record = head(row)
        var unnamed = 0
        for item in items {
            switch item {
            case .path(let path, _): put(path.names[...], of: row, into: &record)
            case .call(let call, let alias):
                record[alias ?? "expr\(unnamed)"] = conditions.value(call, of: row).json
                if alias == nil { unnamed += 1 }
            case .child(let query):
                let relationship = QueryModel.entity(row.object)?.children.first {
                    $0.name.lowercased() == query.source.path.last.lowercased()
                }
                guard let relationship else { continue }
                let children = (world.rows[relationship.object] ?? []).filter {
                    $0[relationship.field] == .string(row.id)
                }
                let records = cut(sorted(found(query, among: children), query.order), query).map {
                    self.record($0, query.items)
                }
                record[relationship.name] =
                    records.isEmpty
                    ? .null : ["totalSize": .int(Int64(records.count)), "done": true, "records": .array(records)]
            case .typeOf(let typeOf): put(typeOf, of: row, into: &record)
            }
        }
        return .object(record)
    }

    private func put(_ names: ArraySlice<String>, of row: NaiveRow, into record: inout JSONObject) {
        guard let name = names.first, let entity = QueryModel.entity(row.object) else { return }
        if names.count == 1 {
            let own = entity.fields.first { $0.name.lowercased() == name.lowercased() }?.name
            record[own ?? "Type"] = own.map { row[$0] } ?? .string(row.object)
            return
        }
        guard let parent = entity.parent(name) else { return }
        guard let next = world.byId[row[parent.field].stringValue ?? ""] else {
            record[parent.name] = .null
            return
        }
        var inner = record[parent.name]?.objectValue ?? head(next)
        put(names.dropFirst(), of: next, into: &inner)
        record[parent.name] = .object(inner)
    }

    private func put(_ typeOf: SOQLTypeOf, of row: NaiveRow, into record: inout JSONObject) {
        guard let parent = QueryModel.entity(row.object)?.parent(typeOf.path.last) else { return }
        record[parent.name] = .null
        guard let next = world.byId[row[parent.field].stringValue ?? ""] else { return }
        let branch = typeOf.branches.first { $0.object.lowercased() == next.object.lowercased() }
        guard let fields = branch?.fields ?? (typeOf.otherwise.isEmpty ? nil : typeOf.otherwise) else { return }
        var inner = head(next)
        for field in fields { put(field.names[...], of: next, into: &inner) }
        record[parent.name] = .object(inner)
    }
}
