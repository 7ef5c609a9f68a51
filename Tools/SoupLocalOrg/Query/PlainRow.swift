// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// Writes rows that contain only fields of their own object, as most rows do.
///
/// A page has thousands of rows, so writing a value involves no reference counting.
struct PlainRow {
    private struct Field {
        /// The range of the text before the value in ``keys``: `,"Name":`.
        var key: Range<Int>
        var column: Int
        var storage: OrgFieldType.Storage
    }

    private var keys: [UInt8] = []
    private var fields: [Field] = []

    /// Nil for rows with parents, children, parts of fields or URLs.
    init?(_ items: [OutputItem]) {
        for item in items {
            guard case .value(let key, let type, let column) = item, type != .base64 else { return nil }
            let start = keys.count
            keys.append(UInt8(ascii: ","))
            keys += key
            fields.append(Field(key: start..<keys.count, column: column, storage: type.storage))
        }
    }

    /// Appends the fields of a row.
    func append(_ row: OrgStatement, to output: inout JSONOutput) {
        keys.withUnsafeBufferPointer { keys in
            for field in fields {
                output.append(UnsafeBufferPointer(rebasing: keys[field.key]))
                output.append(row, column: field.column, storage: field.storage)
            }
        }
    }
}
