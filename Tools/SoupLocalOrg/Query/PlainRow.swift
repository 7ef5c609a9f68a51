// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// Writes rows that show nothing but fields of their own object, as most do.
///
/// A page has thousands of them, so that nothing in here is counted by reference for each value.
struct PlainRow {
    private struct Field {
        /// Where the text in front of the value is in the ``keys``: `,"Name":`.
        var key: Range<Int>
        var column: Int
        var storage: OrgFieldType.Storage
    }

    private var keys: [UInt8] = []
    private var fields: [Field] = []

    /// Nil for rows that show parents, children, parts of fields or URLs of their own.
    init?(_ items: [OutputItem]) {
        for item in items {
            guard case .value(let key, let type, let column) = item, type != .base64 else { return nil }
            let start = keys.count
            keys.append(UInt8(ascii: ","))
            keys += key
            fields.append(Field(key: start..<keys.count, column: column, storage: type.storage))
        }
    }

    /// Writes the fields of a row behind what is there of it.
    func append(_ row: OrgStatement, to output: inout JSONOutput) {
        keys.withUnsafeBufferPointer { keys in
            for field in fields {
                output.append(UnsafeBufferPointer(rebasing: keys[field.key]))
                output.append(row, field.column, field.storage)
            }
        }
    }
}
