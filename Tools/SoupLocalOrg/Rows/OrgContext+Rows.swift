// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension OrgContext {
    /// Reads a whole row, deleted ones too.
    func row(_ object: OrgObject, _ id: String) throws -> StoredRow? {
        let statement = try OrgStatement(db, object.selectSQL, [.text(id)])
        return try statement.first { row in
            StoredRow(number: row.int(0), cells: object.fields.indices.map { row.cell($0 + 1) })
        }
    }

    /// What a record is named for: the same fault of an id is worded differently.
    enum TargetUse {
        case reading
        case writing
        /// Writing by an item of a collection, where an id of another form is an error of the item.
        case item
    }

    /// The row that a request names by id.
    ///
    /// - Throws: ``OrgError``: not an id, the id of another object's record, never existed, or deleted.
    func target(_ object: OrgObject, _ text: String, _ use: TargetUse) throws -> StoredRow {
        guard let id = RecordID.normalized(text) else {
            throw use == .item
                ? OrgError(
                    400, "MALFORMED_ID", "\(object.label) ID: id value of incorrect type: \(text)", fields: ["Id"])
                : OrgError.noExternalId(text)
        }
        guard RecordID.prefix(id) == object.keyPrefix else {
            throw use == .reading
                ? OrgError.notFound
                : OrgError(400, "MALFORMED_ID", "Record ID: id value of incorrect type: \(text)", fields: ["Id"])
        }
        guard let row = try row(object, id) else { throw use == .reading ? OrgError.notFound : OrgError.missingTarget }
        if row.isDeleted(object) { throw OrgError.isDeleted }
        return row
    }

    /// The ids of live rows with a value in a field.
    func ids(_ object: OrgObject, where field: OrgField, is value: CellValue) throws -> [String] {
        let statement = try OrgStatement(
            db, "SELECT \"Id\" FROM \(object.table) WHERE \"\(field.name)\" = ? AND \"IsDeleted\" = 0 ORDER BY _row",
            [value])
        var ids: [String] = []
        try statement.forEach { ids.append($0.text(0) ?? "") }
        return ids
    }

    /// The field that an upsert, or a read by external id, may go by.
    ///
    /// Names are for reading only: nobody can write those that the org makes, and others are no keys.
    func externalIdField(_ object: OrgObject, _ name: String, forUpsert: Bool) throws -> OrgField {
        guard let field = object.field(name),
            field.isExternalId || field.isIdLookup || (field.isNameField && !forUpsert)
        else {
            throw OrgError.noExternalId(name)
        }
        return field
    }

    // MARK: Inserting and updating

    /// Stores a new row.
    func insert(_ object: OrgObject, _ cells: [CellValue], number: Int64) throws {
        let statement = try OrgStatement(db, object.insertSQL)
        statement.bind(1, .int(number))
        for (index, position) in object.storedPositions.enumerated() where !cells[position].isNull {
            statement.bind(index + 2, cells[position])
        }
        try statement.run()
        rowsWritten += 1
    }

    /// Writes the cells of a row that differ from what is there.
    func store(_ object: OrgObject, _ old: StoredRow, _ cells: [CellValue]) throws {
        let changed = object.fields.filter { cells[$0.position] != old.cells[$0.position] }
        guard !changed.isEmpty else { return }
        let assignments = changed.map { "\"\($0.name)\" = ?" }.joined(separator: ", ")
        try OrgStatement(
            db, "UPDATE \(object.table) SET \(assignments) WHERE _row = ?",
            changed.map { cells[$0.position] } + [.int(old.number)]
        ).run()
        rowsWritten += 1
    }
}
