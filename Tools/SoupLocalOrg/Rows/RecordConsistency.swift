// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// What the org asks of records of some standard objects as a whole: hierarchies without circles, activities of one
/// kind, events with a time.
struct RecordConsistency {
    let context: OrgContext
    let object: OrgObject

    /// - Parameters:
    ///   - given: what the client sets, by the position of the field.
    ///   - cells: the record as it would be.
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
                    400, "REQUIRED_FIELD_MISSING", "Required fields are missing: [\(missing.joined(separator: ", "))]",
                    fields: missing)
            }
        default: break
        }
    }

    /// Refuses a parent that is the record itself, or below it.
    private func checkHierarchy(_ parent: CellValue, id: String) throws {
        var next = parent.text.flatMap(RecordID.normalized)
        var seen: Set<String> = []
        while let current = next, seen.insert(current).inserted {
            if current == id {
                throw OrgError(
                    400, "CIRCULAR_DEPENDENCY", "attempt to violate hierarchy constraints", fields: ["ParentId"])
            }
            next = try context.row(object, current)?.cells[object.position("ParentId")].text
        }
    }

    /// Refuses an activity with a lead that is related to something besides: a lead has no account yet.
    private func checkParties(who: CellValue, what: CellValue) throws {
        guard !what.isNull, let who = who.text.flatMap(RecordID.normalized),
            context.schema.object(ofId: who)?.name == "Lead"
        else { return }
        throw OrgError(
            400, "FIELD_INTEGRITY_EXCEPTION",
            "Related To ID: an activity with a lead cannot be related to another record", fields: ["WhatId"])
    }
}

extension OrgContext {
    /// Fields that the org takes from other records: the account of a case is that of its contact, unless the client
    /// says which.
    func deriveFromParents(_ object: OrgObject, _ cells: inout [CellValue], changed: Set<Int>) throws {
        guard object.name == "Case", let contactId = object.field("ContactId"),
            let accountId = object.field("AccountId"),
            changed.contains(contactId.position), !changed.contains(accountId.position),
            let contact = schema["Contact"], contact.field("AccountId") != nil,
            let id = cells[contactId.position].text.flatMap(RecordID.normalized), let row = try row(contact, id)
        else { return }
        cells[accountId.position] = row.cells[contact.position("AccountId")]
    }
}
