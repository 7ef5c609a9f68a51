// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Checks a client's record in the order in which servers report errors: names, types, writability, required fields,
/// limits of fields, references, unique values, validation rules.
struct RecordValidation {
    let context: OrgContext
    let object: OrgObject

    /// Returns the cells that a body sets, by the position of their field: steps 1 to 3 of the order.
    func cells(_ body: JSONObject, creating: Bool) throws -> [Int: CellValue] {
        let members = try members(of: body, creating: creating)
        var cells: [Int: CellValue] = [:]
        for (field, value) in members.named { cells[field.position] = try FieldCoercion.cell(value, for: field) }
        for field in members.emptied { cells[field.position] = .null }
        try refuseBlocked(members.fields, creating: creating)
        for (reference, value) in members.references {
            cells[reference.field.position] =
                try reference.id(for: value, in: context).stringValue.map { .text($0) } ?? .null
        }
        // The master record type is stored as null.
        if let field = object.field("RecordTypeId"), cells[field.position] == .text(ObjectDescription.masterRecordType)
        {
            cells[field.position] = .null
        }
        return cells
    }

    /// The members of a body, by the way in which they set a field.
    private struct Members {
        var named: [(field: OrgField, value: JSONValue)] = []
        var references: [(reference: ExternalReference, value: JSONValue)] = []
        /// References that a relationship clears.
        var emptied: [OrgField] = []

        var fields: [OrgField] { named.map(\.field) + references.map(\.reference.field) + emptied }
    }

    private func members(of body: JSONObject, creating: Bool) throws -> Members {
        var members = Members()
        for (name, value) in body.members where name.lowercased() != "attributes" {
            guard let field = object.field(name) else {
                let field = try reference(name, in: body)
                if value.isNull {
                    members.emptied.append(field)
                } else {
                    members.references.append(
                        try ExternalReference.read(value, of: field, relationship: name, schema: context.schema))
                }
                continue
            }
            if field.type == .id {
                if !creating && context.org.options.ignoresIdInPatch { continue }
                throw OrgError(
                    400, "INVALID_FIELD",
                    message: "The \(field.name) field should not be specified in the sobject data.")
            }
            members.named.append((field, value))
        }
        return members
    }

    /// Returns the reference with the name of a relationship, which the body must not also set by its ID.
    private func reference(_ name: String, in body: JSONObject) throws -> OrgField {
        guard let field = object.reference(name) else {
            throw OrgError(
                400, "INVALID_FIELD", message: "No such column '\(name)' on sobject of type \(object.name)")
        }
        if body.members.contains(where: { $0.key.lowercased() == field.name.lowercased() }) {
            throw OrgError(
                400, "INVALID_FIELD",
                message:
                    "Cannot specify both an external ID reference \(field.relationshipName ?? name) and a salesforce id, "
                    + field.name, fields: [])
        }
        return field
    }

    private func refuseBlocked(_ fields: [OrgField], creating: Bool) throws {
        let audited = creating && context.org.options.allowsAuditFields ? Self.auditFields : []
        let blocked = fields.filter { field in
            creating ? !field.isCreateable && !audited.contains(field.name) : !field.isUpdateable
        }.map(\.name)
        if !blocked.isEmpty {
            throw OrgError(
                400, "INVALID_FIELD_FOR_INSERT_UPDATE",
                message:
                    "Unable to create/update fields: \(blocked.joined(separator: ", ")). Please check the security settings "
                    + "of this field and verify that it is read/write for your profile or permission set.",
                fields: blocked)
        }
    }

    /// The fields that a client may set on a new record if the options allow it.
    static let auditFields: Set<String> = ["CreatedDate", "CreatedById", "LastModifiedDate", "LastModifiedById"]

    /// Runs steps 4 to 8 on the record as it would be stored.
    func check(_ given: [Int: CellValue], _ cells: [CellValue], old: StoredRow?) throws {
        try checkRequired(given, cells, creating: old == nil)
        let fields = object.fields.filter { given[$0.position] != nil }
        for field in fields { try Self.checkLimits(field, cells[field.position]) }
        for field in fields { try checkReference(field, cells[field.position], old: old?.cells[field.position]) }
        for field in fields where field.isUnique {
            try checkUnique(field, cells[field.position], own: old?.id(object))
        }
        try RecordConsistency(context: context, object: object).check(given, cells, old: old)
    }

    private func checkRequired(_ given: [Int: CellValue], _ cells: [CellValue], creating: Bool) throws {
        let missing = object.fields.filter { field in
            guard field.isRequired, field.isCreateable || field.isUpdateable, cells[field.position].isNull else {
                return false
            }
            return creating ? !field.isDefaulted || given[field.position] != nil : given[field.position] != nil
        }.map(\.name)
        if !missing.isEmpty {
            throw OrgError(
                400, "REQUIRED_FIELD_MISSING",
                message: "Required fields are missing: [\(missing.joined(separator: ", "))]",
                fields: missing)
        }
    }

    /// Checks the limits of a field beyond its type: length, range, the list of values, the form of an email address.
    ///
    /// - Throws: ``OrgError`` for a value that violates them.
    static func checkLimits(_ field: OrgField, _ cell: CellValue) throws(OrgError) {
        func refuse(_ code: String, _ message: String) -> OrgError {
            OrgError(400, code, message: "\(field.label): \(message)", fields: [field.name])
        }
        switch (field.type, cell) {
        case (.reference, .text(let text)):
            if RecordID.normalized(text) == nil {
                throw refuse("MALFORMED_ID", "id value of incorrect type: \(text)")
            }
        case (.picklist, .text(let text)), (.multipicklist, .text(let text)):
            let values = field.type == .picklist ? [text] : FieldCoercion.choices(text)
            let unknown = field.isRestricted ? values.first { !field.picklist.contains($0) } : nil
            if let unknown {
                throw refuse(
                    "INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST", "bad value for restricted picklist field: \(unknown)")
            }
            if text.utf16.count > field.length { throw tooLong(field, text) }
        case (_, .text(let text)) where field.type.storage == .text:
            if text.utf16.count > field.length { throw tooLong(field, text) }
            if field.type == .email, !isEmail(text) {
                throw refuse("INVALID_EMAIL_ADDRESS", "invalid email address: \(text)")
            }
        case (_, .int(let value)) where field.type == .int:
            if value.magnitude >= power(field.precision) || Int32(exactly: value) == nil {
                throw refuse("NUMBER_OUTSIDE_VALID_RANGE", "value outside of valid range on numeric field: \(value)")
            }
        case (_, .real(let value)):
            if let limit = degrees(field), value.magnitude > limit {
                throw refuse(
                    "NUMBER_OUTSIDE_VALID_RANGE",
                    "value outside of valid range, must be between -\(Int(limit)) and \(Int(limit)): \(value)")
            }
            let shown = Int64(exactly: value).map { "\($0)" } ?? "\(value)"
            if value.magnitude >= Double(power(field.precision - field.scale)) {
                throw refuse("NUMBER_OUTSIDE_VALID_RANGE", "value outside of valid range on numeric field: \(shown)")
            }
        default: break
        }
    }

    private static func tooLong(_ field: OrgField, _ text: String) -> OrgError {
        OrgError(
            400, "STRING_TOO_LONG",
            message: "\(field.label): data value too large: \(text.prefix(1000)) (max length=\(field.length))",
            fields: [field.name])
    }

    /// Returns the limit of a latitude or longitude in degrees; nil for any other field.
    private static func degrees(_ field: OrgField) -> Double? {
        guard field.compound != nil else { return nil }
        let name = field.name.hasSuffix("__s") ? field.name.dropLast(3) : field.name[...]
        return name.hasSuffix("Latitude") ? 90 : name.hasSuffix("Longitude") ? 180 : nil
    }

    private static func power(_ digits: Int) -> UInt64 {
        (0..<min(max(digits, 0), 18)).reduce(1) { power, _ in power * 10 }
    }

    /// Returns whether a text has the form of an email address: a local part, one `@`, and a domain with a dot.
    private static func isEmail(_ text: String) -> Bool {
        let parts = text.unicodeScalars.split(separator: "@", omittingEmptySubsequences: false)
        let hasSpace = text.unicodeScalars.contains { $0.properties.isWhitespace }
        guard parts.count == 2, !parts[0].isEmpty, !hasSpace else { return false }
        let labels = parts[1].split(separator: ".", omittingEmptySubsequences: false)
        return labels.count >= 2 && labels.allSatisfy { !$0.isEmpty }
    }

    private func checkReference(_ field: OrgField, _ cell: CellValue, old: CellValue?) throws {
        guard field.isReference, case .text(let text) = cell, cell != old, let id = RecordID.normalized(text) else {
            return
        }
        if field.name == "RecordTypeId", !object.recordTypes.contains(where: { $0.id == id }) {
            throw OrgError(
                400, "INVALID_CROSS_REFERENCE_KEY",
                message: "\(field.label): this ID value isn't valid for the user: \(RecordID.short(id))",
                fields: [field.name])
        }
        let target = context.schema.object(ofId: id)
        guard let target, field.referenceTo.contains(target.name) else {
            throw OrgError(
                400, "FIELD_INTEGRITY_EXCEPTION", message: "\(field.label): id value of incorrect type: \(text)",
                fields: [field.name])
        }
        guard let row = try context.rows.row(of: target, id: id) else {
            if field.name == "OwnerId" {
                throw OrgError(
                    400, "INVALID_CROSS_REFERENCE_KEY", message: "invalid cross reference id", fields: [field.name])
            }
            throw OrgError(
                400, "INSUFFICIENT_ACCESS_ON_CROSS_REFERENCE_ENTITY",
                message: "insufficient access rights on cross-reference id: \(RecordID.short(id))", fields: [])
        }
        if row.isDeleted(target) { throw OrgError(400, "ENTITY_IS_DELETED", message: "entity is deleted", fields: []) }
    }

    func checkUnique(_ field: OrgField, _ cell: CellValue, own: String?) throws {
        guard !cell.isNull,
            let other = try context.rows.ids(of: object, where: field, equals: cell).first(where: { $0 != own })
        else { return }
        throw OrgError(
            400, "DUPLICATE_VALUE",
            message:
                "duplicate value found: \(field.name) duplicates value on record with id: \(RecordID.short(other))",
            fields: [])
    }

    /// Runs the object's validation rules on the stored row.
    func checkRules(_ rules: [OrgObject.Rule], id: CellValue, old: StoredRow?) throws {
        for rule in rules {
            let condition = try RuleCondition(
                rule.condition, of: object, schema: context.schema, caller: context.caller(),
                old: { old?.cells[$0] ?? .null })
            let violated = try context.db.statement(condition.selectSQL(from: object), condition.values + [id])
                .first { _ in true }
            if violated != nil {
                throw OrgError(
                    400, "FIELD_CUSTOM_VALIDATION_EXCEPTION", message: rule.message,
                    fields: rule.field.map { [$0] } ?? [])
            }
        }
    }
}
