// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Creates, updates and upserts records.
struct RecordWriter {
    let context: OrgContext

    /// Creates a record from a request body.
    ///
    /// - Parameter key: the external ID of an upsert; it is not in the body.
    /// - Returns: the ID.
    /// - Throws: ``OrgError`` with the first error found, in the order of ``RecordValidation``; then nothing is stored.
    func create(_ object: OrgObject, _ body: JSONObject, key: (OrgField, CellValue)? = nil) throws -> String {
        guard object.flags.createable else {
            throw OrgError(
                400, "CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY",
                message: "entity type cannot be inserted: \(object.label)", fields: [])
        }
        let validation = RecordValidation(context: context, object: object)
        var given = try validation.cells(body, creating: true)
        if let (field, value) = key {
            guard field.isCreateable else {
                throw OrgError(
                    400, "INVALID_FIELD_FOR_INSERT_UPDATE",
                    message:
                        "Unable to create/update fields: \(field.name). Please check the security settings of this field and "
                        + "verify that it is read/write for your profile or permission set.", fields: [field.name])
            }
            given[field.position] = value
        }
        return try create(object, given, validation: validation)
    }

    private func create(
        _ object: OrgObject, _ given: [Int: CellValue], validation: RecordValidation
    ) throws -> String {
        var cells = Array(repeating: CellValue.null, count: object.fields.count)
        for field in object.fields {
            if let value = field.defaultValue { cells[field.position] = try FieldCoercion.cell(value, for: field) }
            if field.type == .boolean, cells[field.position].isNull { cells[field.position] = .int(0) }
        }
        if object.hasOwner { cells[object.position("OwnerId")] = .text(context.userId) }
        if let type = object.defaultRecordType { cells[object.position("RecordTypeId")] = .text(type.id) }
        for (position, value) in given { cells[position] = value }
        try validation.check(given, cells, old: nil)
        let number = context.org.nextNumber(of: object)
        let id = RecordID.make(object.keyPrefix, number)
        setCreationFields(of: object, in: &cells, id: id)
        for name in RecordValidation.auditFields {
            if let value = given[object.position(name)], !value.isNull { cells[object.position(name)] = value }
        }
        for field in object.fields {
            if let format = field.autonumber {
                cells[field.position] = .text(
                    context.org.nextAutonumber(of: field, in: object, format: format, at: context.timestamp))
            } else if field.isNameField, field.isDefaulted, cells[field.position].isNull {
                cells[field.position] = .text(RecordID.short(id))
            }
        }
        try deriveFromParents(object, &cells, changed: Set(given.keys))
        RecordDerivation.apply(object, &cells, changed: Set(given.keys), now: context.timestamp)
        try saveChecked(cells, old: nil, validation: validation) {
            try context.rows.insert(cells, into: object, number: number)
        }
        return id
    }

    /// Sets the fields that the org fills in a new record.
    func setCreationFields(of object: OrgObject, in cells: inout [CellValue], id: String) {
        cells[object.position("Id")] = .text(id)
        cells[object.position("IsDeleted")] = .int(0)
        for name in ["CreatedDate", "LastModifiedDate", "SystemModstamp"] {
            cells[object.position(name)] = .int(context.timestamp)
        }
        for name in ["CreatedById", "LastModifiedById"] { cells[object.position(name)] = .text(context.userId) }
    }

    /// Sets the fields that the org fills in a changed record.
    private func setModificationFields(of object: OrgObject, in cells: inout [CellValue]) {
        let time = context.timestamp(after: cells[object.position("SystemModstamp")].int)
        for name in ["LastModifiedDate", "SystemModstamp"] { cells[object.position(name)] = .int(time) }
        cells[object.position("LastModifiedById")] = .text(context.userId)
    }

    /// Updates a record with a request body.
    ///
    /// - Throws: as ``create(_:_:key:)``.
    func update(_ row: StoredRow, of object: OrgObject, with body: JSONObject) throws {
        guard object.flags.updateable else {
            throw OrgError(
                400, "CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY",
                message: "entity type cannot be updated: \(object.label)", fields: [])
        }
        let validation = RecordValidation(context: context, object: object)
        let given = try validation.cells(body, creating: false)
        var cells = row.cells
        for (position, value) in given { cells[position] = value }
        try validation.check(given, cells, old: row)
        setModificationFields(of: object, in: &cells)
        let changed = Set(given.keys.filter { cells[$0] != row.cells[$0] })
        try deriveFromParents(object, &cells, changed: changed)
        RecordDerivation.apply(object, &cells, changed: changed, now: context.timestamp)
        try saveChecked(cells, old: row, validation: validation) {
            try context.rows.update(row, of: object, to: cells)
        }
    }

    /// Changes a record without running the object's validation rules.
    func edit(_ name: String, id: String, _ values: JSONObject) throws {
        let object = try context.object(name)
        let row = try context.rows.existingRow(of: object, id: id, for: .writing)
        let validation = RecordValidation(context: context, object: object)
        let given = try validation.cells(values, creating: false)
        var cells = row.cells
        for (position, value) in given { cells[position] = value }
        try validation.check(given, cells, old: row)
        setModificationFields(of: object, in: &cells)
        try deriveFromParents(object, &cells, changed: Set(given.keys))
        RecordDerivation.apply(object, &cells, changed: Set(given.keys), now: context.timestamp)
        try context.rows.update(row, of: object, to: cells)
    }

    /// Writes a record, then runs the validation rules, and rolls the write back if one of them is violated.
    private func saveChecked(
        _ cells: [CellValue], old: StoredRow?, validation: RecordValidation, _ write: () throws -> Void
    ) throws {
        let object = validation.object
        let rules = object.rules.filter { old == nil ? $0.onInsert : $0.onUpdate }
        guard !rules.isEmpty else { return try write() }
        try context.atomically {
            try write()
            try validation.checkRules(rules, id: cells[object.position("Id")], old: old)
        }
    }

    /// Sets fields that the org copies from other records: the account of a case is its contact's, unless the client
    /// sets it.
    func deriveFromParents(_ object: OrgObject, _ cells: inout [CellValue], changed: Set<Int>) throws {
        guard object.name == "Case", let contactId = object.field("ContactId"),
            let accountId = object.field("AccountId"),
            changed.contains(contactId.position), !changed.contains(accountId.position),
            let contact = context.schema["Contact"], contact.field("AccountId") != nil,
            let id = cells[contactId.position].text.flatMap(RecordID.normalized),
            let row = try context.rows.row(of: contact, id: id)
        else { return }
        cells[accountId.position] = row.cells[contact.position("AccountId")]
    }
}

// MARK: Upserting

extension RecordWriter {
    /// Creates or updates a record by the key among its members.
    func upsert(_ item: JSONObject, into object: OrgObject, by field: OrgField) throws -> CollectionResult {
        let key = item.value(ignoringCase: field.name) ?? .null
        let body = item.without(ignoringCase: field.name)
        if field.type == .id {
            guard let id = key.stringValue, !id.isEmpty else {
                do {
                    return .init(id: try create(object, body), created: true)
                } catch let error as OrgError {
                    return .init(id: nil, created: true, error: error)
                }
            }
            let row = try context.rows.existingRow(of: object, id: id, for: .item)
            try update(row, of: object, with: body)
            return .init(id: row.id(object), created: false)
        }
        let cell = try FieldCoercion.cell(key, for: field)
        if cell.isNull {
            throw OrgError(400, "MISSING_ARGUMENT", message: "\(field.name) not specified", fields: [])
        }
        let found = try context.rows.ids(of: object, where: field, equals: cell)
        if found.count > 1 {
            throw OrgError(
                400, "DUPLICATE_EXTERNAL_ID",
                message:
                    "\(field.name): more than one record found for external id field: [\(found.joined(separator: ", "))]",
                fields: [])
        }
        do {
            guard let id = found.first else {
                return .init(id: try create(object, body, key: (field, cell)), created: true)
            }
            try update(try context.rows.existingRow(of: object, id: id, for: .item), of: object, with: body)
            return .init(id: id, created: false)
        } catch let error as OrgError {
            return .init(id: nil, created: found.isEmpty, error: error)
        }
    }
}

extension JSONObject {
    /// Returns the value of a key, in any case of letters.
    func value(ignoringCase name: String) -> JSONValue? {
        let name = name.lowercased()
        return members.first { $0.key.lowercased() == name }?.value
    }

    /// Returns the members except those with a key, in any case of letters.
    func without(ignoringCase name: String) -> JSONObject {
        let name = name.lowercased()
        return JSONObject(members.filter { $0.key.lowercased() != name })
    }
}
