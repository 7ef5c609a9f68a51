// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
internal import SoupCore

/// The plans by which a query could be run, and their costs: the response to `?explain=`.
///
/// Salesforce computes costs from statistics. Here the rows are counted, and a plan that reads three of ten rows of the
/// object costs 1: above that a full scan is cheaper.
struct QueryExplanation {
    let query: SOQLQuery
    let object: OrgObject
    /// Counts the rows of the object for which a condition holds.
    let count: (SOQLCondition?) throws -> Int64

    /// Returns the plans, the cheapest first.
    func plans() throws -> [JSONValue] {
        let total = try count(nil)
        let matching = try count(query.condition)
        var plans = [(cost: 1 + Double(matching) / Double(max(1, total)), json: tableScan(matching, total))]
        for (field, comparison) in indexable {
            let found = try count(.comparison(comparison))
            let cost = Double(found) / max(1, 0.3 * Double(total))
            plans.append((cost, plan("Index", fields: [field], cardinality: found, of: total, cost: cost, notes: [])))
        }
        return plans.sorted { $0.cost < $1.cost }.map(\.json)
    }

    private func tableScan(_ matching: Int64, _ total: Int64) -> JSONValue {
        let unindexed = comparisons.compactMap { comparison in
            field(comparison).flatMap { Self.isIndexed($0) ? nil : $0.name }
        }
        let notes = (["IsDeleted"] + unindexed).map { name -> JSONValue in
            [
                "description": "Not considering filter for optimization because unindexed",
                "fields": [.string(name)], "tableEnumOrId": .string(object.name),
            ]
        }
        return plan(
            "TableScan", fields: [], cardinality: matching, of: total,
            cost: 1 + Double(matching) / Double(max(1, total)), notes: notes)
    }

    private func plan(
        _ kind: String, fields: [String], cardinality: Int64, of total: Int64, cost: Double, notes: [JSONValue]
    ) -> JSONValue {
        [
            "cardinality": .int(cardinality), "fields": .array(fields.map { .string($0) }),
            "leadingOperationType": .string(kind), "notes": .array(notes), "relativeCost": .double(cost),
            "sobjectCardinality": .int(total), "sobjectType": .string(object.name),
        ]
    }

    /// The tests that must all be true.
    private var comparisons: [SOQLComparison] {
        func terms(_ condition: SOQLCondition) -> [SOQLComparison] {
            switch condition.ungrouped {
            case .and(let inner): inner.flatMap(terms)
            case .comparison(let comparison): [comparison]
            default: []
            }
        }
        return query.condition.map(terms) ?? []
    }

    /// The tests for which an index can be used, with their fields.
    private var indexable: [(String, SOQLComparison)] {
        comparisons.compactMap { comparison in
            guard let field = field(comparison), Self.isIndexed(field), Self.isSelective(comparison.test) else {
                return nil
            }
            return (field.name, comparison)
        }
    }

    /// Returns the tested field if it is a field of the object itself.
    private func field(_ comparison: SOQLComparison) -> OrgField? {
        guard case .path(let path) = comparison.operand, path.names.count == 1 else { return nil }
        return object.field(path.last)
    }

    private static func isIndexed(_ field: OrgField) -> Bool {
        ["Id", "Name", "OwnerId", "CreatedDate", "SystemModstamp", "LastModifiedDate", "RecordTypeId"].contains(
            field.name)
            || field.isReference || field.isExternalId || field.isUnique || field.type == .email
    }

    private static func isSelective(_ test: SOQLComparison.Test) -> Bool {
        switch test {
        case .compare(let comparator, let value): comparator != .notEqual && value != .null
        case .like(let pattern): !pattern.hasPrefix("%") && !pattern.hasPrefix("_")
        case .isIn(_, let negated): !negated
        case .isInQuery, .includes: false
        }
    }
}
