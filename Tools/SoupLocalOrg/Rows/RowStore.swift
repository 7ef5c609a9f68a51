// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Reads and writes rows of the org's tables.
struct RowStore {
    let context: OrgContext

    /// Returns a whole row, including a deleted one; nil if there is none.
    func row(of object: OrgObject, id: String) throws -> StoredRow? {
        let statement = try context.db.statement(object.selectSQL, [.text(id)])
        return try statement.first { row in
            StoredRow(number: row.int(0), cells: object.fields.indices.map { row.cell($0 + 1) })
        }
    }

    /// The purpose for which a request names a record: the same wrong ID is reported differently.
    enum Purpose {
        case reading
        case writing
        /// Writing by an item of a collection, where a malformed ID is an error of the item.
        case item
    }

    /// Returns the row that a request names by its ID.
    ///
    /// - Throws: ``OrgError`` if the text is not an ID, is the ID of another object's record, never existed, or is
    ///   deleted.
    func existingRow(of object: OrgObject, id text: String, for purpose: Purpose) throws -> StoredRow {
        guard let id = RecordID.normalized(text) else {
            throw purpose == .item
                ? OrgError(
                    400, "MALFORMED_ID", message: "\(object.label) ID: id value of incorrect type: \(text)",
                    fields: ["Id"])
                : OrgError.noExternalId(text)
        }
        guard RecordID.prefix(id) == object.keyPrefix else {
            throw purpose == .reading
                ? OrgError.notFound
                : OrgError(
                    400, "MALFORMED_ID", message: "Record ID: id value of incorrect type: \(text)", fields: ["Id"])
        }
        guard let row = try row(of: object, id: id) else {
            throw purpose == .reading ? OrgError.notFound : OrgError.missingTarget
        }
        if row.isDeleted(object) { throw purpose == .reading ? OrgError.isDeletedForReading : OrgError.isDeleted }
        return row
    }

    /// Returns the IDs of live rows with a value in a field.
    func ids(of object: OrgObject, where field: OrgField, equals value: CellValue) throws -> [String] {
        let statement = try context.db.statement(
            "SELECT \"Id\" FROM \(object.table) WHERE \"\(field.name)\" = ? AND \"IsDeleted\" = 0 ORDER BY _row",
            [value])
        var ids: [String] = []
        try statement.forEach { ids.append($0.text(0) ?? "") }
        return ids
    }

    /// Returns the IDs of the rows with these numbers.
    func ids(of object: OrgObject, numbers: [Int64]) throws -> [String] {
        var ids: [String] = []
        try context.db.statement(
            "SELECT t.\"Id\" FROM json_each(?1) page CROSS JOIN \(object.table) t ON t._row = page.value",
            [QueryRowWriter.json(numbers)]
        ).forEach { ids.append($0.text(0) ?? "") }
        return ids
    }

    /// Returns the field by which an upsert, or a read by external ID, may find a record.
    ///
    /// Name fields are for reading only: some are computed by the org, and the others are not unique.
    ///
    /// - Throws: ``OrgError`` with 404 if the object has no such field.
    func externalIdField(_ name: String, of object: OrgObject, forUpsert: Bool) throws -> OrgField {
        guard let field = object.field(name),
            field.isExternalId || field.isIdLookup || (field.isNameField && !forUpsert)
        else {
            throw OrgError.noExternalId(name)
        }
        return field
    }

    // MARK: Inserting and updating

    /// Stores a new row.
    func insert(_ cells: [CellValue], into object: OrgObject, number: Int64) throws {
        let statement = try context.db.statement(object.insertSQL)
        statement.bind(1, .int(number))
        for (index, position) in object.storedPositions.enumerated() where !cells[position].isNull {
            statement.bind(index + 2, cells[position])
        }
        try statement.run()
        context.rowsWritten += 1
    }

    /// Writes the cells of a row that differ from the stored ones.
    func update(_ row: StoredRow, of object: OrgObject, to cells: [CellValue]) throws {
        let changed = object.fields.filter { cells[$0.position] != row.cells[$0.position] }
        guard !changed.isEmpty else { return }
        let assignments = changed.map { "\"\($0.name)\" = ?" }.joined(separator: ", ")
        try context.db.statement(
            "UPDATE \(object.table) SET \(assignments) WHERE _row = ?",
            changed.map { cells[$0.position] } + [.int(row.number)]
        ).run()
        context.rowsWritten += 1
    }
}
