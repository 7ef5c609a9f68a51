// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Makes the changes of rows that faults make before a request is processed.
struct FaultRowChanges {
    let context: OrgContext

    /// Makes the changes as another user.
    ///
    /// A change that is not possible, such as deleting a row twice, is skipped. The changes do not count as rows that
    /// the request wrote.
    func apply(_ changes: [OrgFault.RowChange]) throws {
        defer { context.rowsWritten = 0 }
        try context.acting(as: context.org.keys["other"] ?? context.userId) {
            for change in changes {
                do {
                    try context.atomically { try apply(change) }
                } catch is OrgError {
                    continue
                }
            }
        }
    }

    private func apply(_ change: OrgFault.RowChange) throws {
        switch change {
        case .insert(let name, let values): _ = try context.records.create(try context.object(name), values)
        case .edit(let name, let row, let values): try context.records.edit(name, id: id(row), values)
        case .delete(let name, let row):
            let object = try context.object(name)
            try context.recycleBin.delete(
                try context.rows.existingRow(of: object, id: id(row), for: .writing), of: object)
        }
    }

    /// Returns the ID that a change names; for `@` and a key of the seed, that of the row with the key.
    private func id(_ text: String) -> String {
        text.utf8.first == UInt8(ascii: "@") ? context.org.keys[String(text.dropFirst())] ?? text : text
    }
}
