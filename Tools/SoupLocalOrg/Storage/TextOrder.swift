// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import GRDBSQLite
internal import SoupCore

/// How the org compares text: case does not count, for any script; text is ordered by its upper-case form.
enum TextOrder {
    /// The name of the order in SQL: columns of text have it.
    static let collation = "org"
    /// The name of the SQL function that folds case, for LIKE with letters that SQLite cannot fold.
    static let foldFunction = "org_fold"

    /// Registers the order and the function on a connection.
    static func install(in db: Database) throws {
        let status = sqlite3_create_collation_v2(
            db.sqliteConnection, collation, SQLITE_UTF8, nil,
            { _, leftCount, left, rightCount, right in
                let left = UnsafeRawBufferPointer(start: left, count: Int(leftCount))
                let right = UnsafeRawBufferPointer(start: right, count: Int(rightCount))
                return Int32(TextOrder.compare(left, right))
            }, nil)
        guard status == SQLITE_OK else { throw SoupError(.sql, "the text order of the local org was refused") }
        db.add(
            function: DatabaseFunction(foldFunction, argumentCount: 1, pure: true) { values in
                String.fromDatabaseValue(values[0])?.uppercased()
            })
    }

    /// Below, at or above 0.
    ///
    /// ASCII is compared in place; the first other byte makes both sides strings.
    static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
        let count = min(left.count, right.count)
        for index in 0..<count {
            let first = left[index]
            let second = right[index]
            if (first | second) & 0x80 != 0 { return compareFolded(left, right) }
            let difference = Int(upper(first)) - Int(upper(second))
            if difference != 0 { return difference }
        }
        return left.count - right.count
    }

    private static func upper(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z") ? byte & 0xDF : byte
    }

    private static func compareFolded(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
        let left = String(decoding: left, as: UTF8.self).uppercased()
        let right = String(decoding: right, as: UTF8.self).uppercased()
        if left.utf8.elementsEqual(right.utf8) { return 0 }
        return left.utf8.lexicographicallyPrecedes(right.utf8) ? -1 : 1
    }
}
