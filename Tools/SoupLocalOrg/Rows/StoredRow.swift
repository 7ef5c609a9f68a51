// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A row as it is stored in its table.
struct StoredRow {
    var number: Int64
    /// One cell for each field of the object; null for fields without a column.
    var cells: [CellValue]

    func isDeleted(_ object: OrgObject) -> Bool { cells[object.position("IsDeleted")] == .int(1) }
    func id(_ object: OrgObject) -> String { cells[object.position("Id")].text ?? "" }
}
