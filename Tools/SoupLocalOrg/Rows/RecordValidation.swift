// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Checks what a client sends, in the order in which servers report faults: names, types, writability, required fields,
/// limits of fields, references, unique values, rules.
struct RecordValidation {
    let context: OrgContext
    let object: OrgObject

    /// The cells that a body sets, by the position of their field: steps 1 to 3 of the order.
    func cells(_ body: JSONObject, creating: Bool) throws -> [Int: CellValue] {
        var named: [(OrgField, JSONValue)] = []
        var references: [(reference: ExternalReference, value: JSONValue)] = []
        /// References of which a relationship says that there is none.
        var emptied: [OrgField] = []
        for (name, value) in body.members where name.lowercased() != "attributes" {
            guard let field = object.field(name) else {
                guard let field = object.reference(name) else {
                    throw OrgError(400, "INVALID_FIELD", "No such column '\(name)' on sobject of type \(object.name)")
                }
                if body.members.contains(where: { $0.key.lowercased() == field.name.lowercased() }) {
                    throw OrgError(
                        400, "INVALID_FIELD",
                        "Cannot specify both an external ID reference \(field.relationshipName ?? name) and a salesforce id, "
                            + field.name, fields: [])
                }
                if value.isNull {
                    emptied.append(field)
                } else {
                    references.append(try ExternalReference.read(value, field, name, context.schema))
                }
                continue
            }
            if field.type == .id {
                if !creating && context.org.options.ignoresIdInPatch { continue }
                throw OrgError(
                    400, "INVALID_FIELD", "The \(field.name) field should not be specified in the sobject data.")
            }
            named.append((field, value))
        }
        var cells: [Int: CellValue] = [:]
        for (field, value) in named { cells[field.position] = try FieldCoercion.cell(value, for: field) }
        for field in emptied { cells[field.position] = .null }
        try refuseBlocked(named.map(\.0) + references.map(\.reference.field) + emptied, creating: creating)
        for (reference, value) in references {
            cells[reference.field.position] =
                try reference.id(for: value, in: context).stringValue.map { .text($0) } ?? .null
        }
        // The master record type is kept as none.
        if let field = object.field("RecordTypeId"), cells[field.position] == .text(OrgContext.masterRecordType) {
            cells[field.position] = .null
        }
        return cells
    }

    private func refuseBlocked(_ fields: [OrgField], creating: Bool) throws {
        let audited = creating && context.org.options.allowsAuditFields ? Self.auditFields : []
        let blocked = fields.filter { field in
            creating ? !field.isCreateable && !audited.contains(field.name) : !field.isUpdateable
        }.map(\.name)
        if !blocked.isEmpty {
            throw OrgError(
                400, "INVALID_FIELD_FOR_INSERT_UPDATE",
                "Unable to create/update fields: \(blocked.joined(separator: ", ")). Please check the security settings "
                    + "of this field and verify that it is read/write for your profile or permission set.",
                fields: blocked)
        }
    }

    /// What a client may set on a new record where the org allows it.
    static let auditFields: Set<String> = ["CreatedDate", "CreatedById", "LastModifiedDate", "LastModifiedById"]

    /// Steps 4 to 8, over the record as it would be.
    func check(_ given: [Int: CellValue], _ cells: [CellValue], old: StoredRow?) throws {
        try checkRequired(given, cells, creating: old == nil)
        let fields = object.fields.filter { given[$0.position] != nil }
        for field in fields { try Self.checkLimits(field, cells[field.position]) }
        for field in fields { try checkReference(field, cells[field.position], old?.cells[field.position]) }
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
                400, "REQUIRED_FIELD_MISSING", "Required fields are missing: [\(missing.joined(separator: ", "))]",
                fields: missing)
        }
    }

    /// What a field takes beyond its type: length, range, the list of values, the form of an address.
    ///
    /// - Throws: ``OrgError`` for what does not fit.
    static func checkLimits(_ field: OrgField, _ cell: CellValue) throws(OrgError) {
        func refuse(_ code: String, _ message: String) -> OrgError {
            OrgError(400, code, "\(field.label): \(message)", fields: [field.name])
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
            "\(field.label): data value too large: \(text.prefix(1000)) (max length=\(field.length))",
            fields: [field.name])
    }

    /// How far a part of an address or a location may be from zero; nil for a field that is no angle.
    private static func degrees(_ field: OrgField) -> Double? {
        guard field.compound != nil else { return nil }
        let name = field.name.hasSuffix("__s") ? field.name.dropLast(3) : field.name[...]
        return name.hasSuffix("Latitude") ? 90 : name.hasSuffix("Longitude") ? 180 : nil
    }

    private static func power(_ digits: Int) -> UInt64 {
        (0..<min(max(digits, 0), 18)).reduce(1) { power, _ in power * 10 }
    }

    /// Whether a text has the form of an address: something, one `@`, and a domain with a dot.
    private static func isEmail(_ text: String) -> Bool {
        let parts = text.unicodeScalars.split(separator: "@", omittingEmptySubsequences: false)
        let hasSpace = text.unicodeScalars.contains { $0.properties.isWhitespace }
        guard parts.count == 2, !parts[0].isEmpty, !hasSpace else { return false }
        let labels = parts[1].split(separator: ".", omittingEmptySubsequences: false)
        return labels.count >= 2 && labels.allSatisfy { !$0.isEmpty }
    }

    private func checkReference(_ field: OrgField, _ cell: CellValue, _ old: CellValue?) throws {
        guard field.isReference, case .text(let text) = cell, cell != old, let id = RecordID.normalized(text) else {
            return
        }
        if field.name == "RecordTypeId", !object.recordTypes.contains(where: { $0.id == id }) {
            throw OrgError(
                400, "INVALID_CROSS_REFERENCE_KEY",
                "\(field.label): this ID value isn't valid for the user: \(RecordID.short(id))", fields: [field.name])
        }
        let target = context.schema.object(ofId: id)
        guard let target, field.referenceTo.contains(target.name) else {
            throw OrgError(
                400, "FIELD_INTEGRITY_EXCEPTION", "\(field.label): id value of incorrect type: \(text)",
                fields: [field.name])
        }
        guard let row = try context.row(target, id) else {
            if field.name == "OwnerId" {
                throw OrgError(
                    400, "INVALID_CROSS_REFERENCE_KEY", "invalid cross reference id", fields: [field.name])
            }
            throw OrgError(
                400, "INSUFFICIENT_ACCESS_ON_CROSS_REFERENCE_ENTITY",
                "insufficient access rights on cross-reference id: \(RecordID.short(id))", fields: [])
        }
        if row.isDeleted(target) { throw OrgError(400, "ENTITY_IS_DELETED", "entity is deleted", fields: []) }
    }

    func checkUnique(_ field: OrgField, _ cell: CellValue, own: String?) throws {
        guard !cell.isNull, let other = try context.ids(object, where: field, is: cell).first(where: { $0 != own })
        else { return }
        throw OrgError(
            400, "DUPLICATE_VALUE",
            "duplicate value found: \(field.name) duplicates value on record with id: \(RecordID.short(other))",
            fields: [])
    }

    /// The object's own rules, over the row as it is now stored.
    func checkRules(_ rules: [OrgObject.Rule], id: CellValue, old: StoredRow?) throws {
        for rule in rules {
            let condition = try RuleCondition(
                rule.condition, of: object, schema: context.schema, caller: context.caller(),
                old: { old?.cells[$0] ?? .null })
            let violated = try OrgStatement(context.db, condition.selectSQL(from: object), condition.values + [id])
                .first { _ in true }
            if violated != nil {
                throw OrgError(
                    400, "FIELD_CUSTOM_VALIDATION_EXCEPTION", rule.message, fields: rule.field.map { [$0] } ?? [])
            }
        }
    }
}
