// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension OrgContext {
    /// Creates a record from what a client sent.
    ///
    /// - Parameter key: the external id that an upsert went by; it is not in the body.
    /// - Returns: the id.
    /// - Throws: ``OrgError`` with the first fault found, in the order of ``RecordValidation``; nothing is stored then.
    func create(_ object: OrgObject, _ body: JSONObject, key: (OrgField, CellValue)? = nil) throws -> String {
        guard object.flags.createable else {
            throw OrgError(
                400, "CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY", "entity type cannot be inserted: \(object.label)",
                fields: [])
        }
        let validation = RecordValidation(context: self, object: object)
        var given = try validation.cells(body, creating: true)
        if let (field, value) = key {
            guard field.isCreateable else {
                throw OrgError(
                    400, "INVALID_FIELD_FOR_INSERT_UPDATE",
                    "Unable to create/update fields: \(field.name). Please check the security settings of this field and "
                        + "verify that it is read/write for your profile or permission set.", fields: [field.name])
            }
            given[field.position] = value
        }
        return try create(object, given, validation)
    }

    private func create(
        _ object: OrgObject, _ given: [Int: CellValue], _ validation: RecordValidation
    ) throws -> String {
        var cells = Array(repeating: CellValue.null, count: object.fields.count)
        for field in object.fields {
            if let value = field.defaultValue { cells[field.position] = try FieldCoercion.cell(value, for: field) }
            if field.type == .boolean, cells[field.position].isNull { cells[field.position] = .int(0) }
        }
        if object.hasOwner { cells[object.position("OwnerId")] = .text(userId) }
        if let type = object.defaultRecordType { cells[object.position("RecordTypeId")] = .text(type.id) }
        for (position, value) in given { cells[position] = value }
        try validation.check(given, cells, old: nil)
        let number = org.nextNumber(of: object)
        let id = RecordID.make(object.keyPrefix, number)
        stamp(object, &cells, id: id)
        for name in RecordValidation.auditFields {
            if let value = given[object.position(name)], !value.isNull { cells[object.position(name)] = value }
        }
        for field in object.fields {
            if let format = field.autonumber {
                cells[field.position] = .text(org.nextAutonumber(object, field, format, at: timestamp))
            } else if field.isNameField, field.isDefaulted, cells[field.position].isNull {
                cells[field.position] = .text(RecordID.short(id))
            }
        }
        try deriveFromParents(object, &cells, changed: Set(given.keys))
        RecordDerivation.apply(object, &cells, changed: Set(given.keys), now: timestamp)
        try saveChecked(object, validation, old: nil, cells) {
            try insert(object, cells, number: number)
        }
        return id
    }

    /// Sets what the org itself notes on a new record.
    func stamp(_ object: OrgObject, _ cells: inout [CellValue], id: String) {
        cells[object.position("Id")] = .text(id)
        cells[object.position("IsDeleted")] = .int(0)
        for name in ["CreatedDate", "LastModifiedDate", "SystemModstamp"] {
            cells[object.position(name)] = .int(timestamp)
        }
        for name in ["CreatedById", "LastModifiedById"] { cells[object.position(name)] = .text(userId) }
    }

    /// Sets what the org notes on a record that was changed.
    func touch(_ object: OrgObject, _ cells: inout [CellValue]) {
        cells[object.position("LastModifiedDate")] = .int(timestamp)
        cells[object.position("SystemModstamp")] = .int(timestamp)
        cells[object.position("LastModifiedById")] = .text(userId)
    }

    /// Changes a record by what a client sent.
    ///
    /// - Throws: as ``create(_:_:key:)``.
    func update(_ object: OrgObject, _ row: StoredRow, _ body: JSONObject) throws {
        guard object.flags.updateable else {
            throw OrgError(
                400, "CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY", "entity type cannot be updated: \(object.label)",
                fields: [])
        }
        let validation = RecordValidation(context: self, object: object)
        let given = try validation.cells(body, creating: false)
        var cells = row.cells
        for (position, value) in given { cells[position] = value }
        try validation.check(given, cells, old: row)
        touch(object, &cells)
        let changed = Set(given.keys.filter { cells[$0] != row.cells[$0] })
        try deriveFromParents(object, &cells, changed: changed)
        RecordDerivation.apply(object, &cells, changed: changed, now: timestamp)
        try saveChecked(object, validation, old: row, cells) { try store(object, row, cells) }
    }

    /// Writes, then asks the validation rules, and takes the write back when one objects.
    private func saveChecked(
        _ object: OrgObject, _ validation: RecordValidation, old: StoredRow?, _ cells: [CellValue],
        _ write: () throws -> Void
    ) throws {
        let rules = object.rules.filter { old == nil ? $0.onInsert : $0.onUpdate }
        guard !rules.isEmpty else { return try write() }
        try atomically {
            try write()
            try validation.checkRules(rules, id: cells[object.position("Id")], old: old)
        }
    }
}
