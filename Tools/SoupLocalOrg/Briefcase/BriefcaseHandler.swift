// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Answers `/connect/briefcase/priming-records`: the records of the caller's briefcase, a page at a time.
///
/// The first request determines the records; the token of a page continues the same list.
struct BriefcaseHandler: ResourceHandler {
    let request: OrgRequest
    let context: OrgContext

    func primingRecords() throws -> OrgAnswer {
        let token = request.parameter("relayToken").flatMap { $0.isEmpty ? nil : $0 }
        let since = request.parameter("changedAfterTimestamp").flatMap { $0.isEmpty ? nil : $0 }
        if token != nil, since != nil {
            throw OrgError(
                400, "INVALID_INPUT", message: "relayToken and changedAfterTimestamp cannot be used in one request")
        }
        if let token {
            let parts = token.utf8.split(separator: UInt8(ascii: "-"))
                .map { Int(String(decoding: $0, as: UTF8.self)) }
            guard parts.count == 2, let number = parts[0], let start = parts[1],
                let priming = context.org.primings[number],
                priming.records.indices.contains(start)
            else { throw OrgError(400, "INVALID_INPUT", message: "The relayToken \(token) is not known") }
            return page(of: priming, from: start, number: number)
        }
        let priming = try priming(changedAfter: try since.map(Self.timestamp))
        return page(of: priming, from: 0, number: nil)
    }

    private static func timestamp(_ text: String) throws -> Int64 {
        // A plus sign that was not encoded arrives as a space.
        guard let time = DateText.milliseconds(String(text.map { $0 == " " ? "+" : $0 })) else {
            throw OrgError(400, "INVALID_INPUT", message: "changedAfterTimestamp is not a datetime: \(text)")
        }
        return time
    }

    // MARK: Finding records

    private func priming(changedAfter since: Int64?) throws -> Priming {
        let rules = (context.org.definition.briefcase.arrayValue ?? []).enumerated()
            .map { BriefcaseRule($1, position: $0, userId: context.userId) }
        var priming = Priming(records: [], rules: rules.map(\.id), errors: [])
        var seen: Set<String> = []
        for (index, rule) in rules.enumerated() {
            guard let records = try records(of: rule, at: index) else {
                priming.errors.append(rule.id)
                continue
            }
            for record in records where seen.insert(record.id).inserted {
                if let since, record.stamp <= since { continue }
                priming.records.append(record)
            }
        }
        return priming
    }

    /// Returns the records of a rule and their related records; nil if the rule cannot be run.
    private func records(of rule: BriefcaseRule, at index: Int) throws -> [PrimingRecord]? {
        guard let text = rule.query,
            case .rows(let plan)? = try? QueryCompiler.compile(text, schema: context.schema, caller: context.caller())
        else { return nil }
        let relationships = rule.related.map { plan.object.child($0) }
        guard relationships.allSatisfy({ $0 != nil }) else { return nil }
        var rows: [Int64] = []
        do {
            try context.db.statement(plan.find.text, plan.find.values).forEach { rows.append($0.int(0)) }
        } catch let error as SoupError where error.code == .sql {
            return nil
        }
        var records = try self.records(
            of: plan.object, rule: index,
            from: "FROM json_each(?1) page CROSS JOIN \(plan.object.table) t ON t._row = page.value",
            rows: rows)
        for relationship in relationships.compactMap({ $0 }) {
            guard let child = context.schema[relationship.object],
                let field = child.field(relationship.field)
            else { continue }
            records += try self.records(
                of: child, rule: index,
                from: "FROM json_each(?1) page CROSS JOIN \(plan.object.table) p ON p._row = page.value "
                    + "CROSS JOIN \(child.table) t ON t.\"\(field.name)\" = p.\"Id\" WHERE t.\"IsDeleted\" = 0 "
                    + "ORDER BY page.key, t._row",
                rows: rows)
        }
        return records
    }

    private func records(
        of object: OrgObject, rule: Int, from source: String, rows: [Int64]
    ) throws -> [PrimingRecord] {
        let type = object.field("RecordTypeId") == nil ? "NULL" : "t.\"RecordTypeId\""
        var records: [PrimingRecord] = []
        try context.db.statement(
            "SELECT t.\"Id\", t.\"SystemModstamp\", \(type) \(source)", [QueryRowWriter.json(rows)]
        ).forEach { row in
            records.append(
                PrimingRecord(
                    object: object.name, recordType: row.text(2) ?? ObjectDescription.masterRecordType,
                    id: row.text(0) ?? "",
                    stamp: row.int(1), rule: rule))
        }
        return records
    }

    // MARK: Answering

    private func page(of priming: Priming, from start: Int, number: Int?) -> OrgAnswer {
        let shown = priming.records[start...].prefix(max(1, context.org.options.briefcasePageSize))
        var token: JSONValue = .null
        if shown.endIndex < priming.records.count {
            token = .string("\(number ?? context.org.primings.keep(priming))-\(shown.endIndex)")
        }
        var objects: [(name: String, types: [(id: String, records: [JSONValue])])] = []
        for record in shown {
            let entry: JSONValue = [
                "id": .string(record.id), "systemModstamp": .string(DateText.format(record.stamp, zone: "Z")),
            ]
            let place =
                objects.firstIndex { $0.name == record.object }
                ?? {
                    objects.append((record.object, []))
                    return objects.count - 1
                }()
            if let type = objects[place].types.firstIndex(where: { $0.id == record.recordType }) {
                objects[place].types[type].records.append(entry)
            } else {
                objects[place].types.append((record.recordType, [entry]))
            }
        }
        let grouped = objects.map { name, types in
            (key: name, value: JSONValue.object(JSONObject(types.map { (key: $0.id, value: .array($0.records)) })))
        }
        // The last page also serves the rules without records.
        let served =
            token.isNull && start == 0 ? priming.rules.count - priming.errors.count : Set(shown.map(\.rule)).count
        return OrgAnswer([
            "primingRecords": .object(JSONObject(grouped)), "relayToken": token,
            "ruleErrors": .array(priming.errors.map { ["ruleId": .string($0)] }),
            "stats": [
                "ruleCountTotal": .int(Int64(priming.rules.count)),
                "recordCountTotal": .int(Int64(priming.records.count)), "ruleCountServed": .int(Int64(served)),
                "recordCountServed": .int(Int64(shown.count)),
            ],
        ])
    }
}
