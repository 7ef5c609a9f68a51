// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// Checks records of some standard objects as a whole: hierarchies without cycles, the relations of activities, events
/// with a time.
struct RecordConsistency {
    let context: OrgContext
    let object: OrgObject

    /// Checks a record before it is written.
    ///
    /// - Parameters:
    ///   - given: the values that the client sets, by the position of the field.
    ///   - cells: the record as it would be stored.
    func check(_ given: [Int: CellValue], _ cells: [CellValue], old: StoredRow?) throws {
        func isGiven(_ name: String) -> Bool { object.field(name).map { given[$0.position] != nil } ?? false }
        func cell(_ name: String) -> CellValue { object.field(name).map { cells[$0.position] } ?? .null }
        switch object.name {
        case "Account", "Case":
            if isGiven("ParentId"), let old { try checkHierarchy(cell("ParentId"), id: old.id(object)) }
        case "Task", "Event":
            if isGiven("WhoId") || isGiven("WhatId") { try checkParties(who: cell("WhoId"), what: cell("WhatId")) }
            guard object.name == "Event", old == nil else { return }
            let hasStart = !cell("ActivityDateTime").isNull || !cell("StartDateTime").isNull
            let hasDay = cell("IsAllDayEvent") == .int(1) && !cell("ActivityDate").isNull
            let hasEnd = !cell("DurationInMinutes").isNull || !cell("EndDateTime").isNull || hasDay
            var missing: [String] = []
            if !hasEnd, object.field("DurationInMinutes") != nil { missing.append("DurationInMinutes") }
            if !hasStart, !hasDay, object.field("ActivityDateTime") != nil { missing.append("ActivityDateTime") }
            if !missing.isEmpty {
                throw OrgError(
                    400, "REQUIRED_FIELD_MISSING",
                    message: "Required fields are missing: [\(missing.joined(separator: ", "))]",
                    fields: missing)
            }
        default: break
        }
    }

    /// Rejects a parent that is the record itself or one of its descendants.
    private func checkHierarchy(_ parent: CellValue, id: String) throws {
        var next = parent.text.flatMap(RecordID.normalized)
        var seen: Set<String> = []
        while let current = next, seen.insert(current).inserted {
            if current == id {
                throw OrgError(
                    400, "CIRCULAR_DEPENDENCY", message: "attempt to violate hierarchy constraints",
                    fields: ["ParentId"])
            }
            next = try context.rows.row(of: object, id: current)?.cells[object.position("ParentId")].text
        }
    }

    /// Rejects an activity with a lead and another related record: a lead has no account yet.
    private func checkParties(who: CellValue, what: CellValue) throws {
        guard !what.isNull, let who = who.text.flatMap(RecordID.normalized),
            context.schema.object(ofId: who)?.name == "Lead"
        else { return }
        throw OrgError(
            400, "FIELD_INTEGRITY_EXCEPTION",
            message: "Related To ID: an activity with a lead cannot be related to another record", fields: ["WhatId"])
    }
}
