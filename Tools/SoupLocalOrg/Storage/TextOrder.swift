// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRDB
internal import GRDBSQLite
internal import SoupCore

/// The text order of the org: case-insensitive for any script, by the upper-case form.
enum TextOrder {
    /// The name of the collation in SQL, which text columns use.
    static let collation = "org"
    /// The name of the SQL function that folds case, for LIKE with letters that SQLite cannot fold.
    static let foldFunction = "org_fold"

    /// Registers the collation and the function on a connection.
    static func install(in db: Database) throws {
        let status = sqlite3_create_collation_v2(
            db.sqliteConnection, collation, SQLITE_UTF8, nil,
            { _, leftCount, left, rightCount, right in
                let left = UnsafeRawBufferPointer(start: left, count: Int(leftCount))
                let right = UnsafeRawBufferPointer(start: right, count: Int(rightCount))
                return Int32(TextOrder.compare(left, right))
            }, nil)
        guard status == SQLITE_OK else { throw SoupError(.sql, "SQLite rejected the collation of the local org") }
        db.add(
            function: DatabaseFunction(foldFunction, argumentCount: 1, pure: true) { values in
                String.fromDatabaseValue(values[0])?.uppercased()
            })
    }

    /// Compares two texts: the result is below, at or above 0.
    ///
    /// ASCII is compared in place. If a byte is not ASCII, both texts are converted to strings.
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
        var left = String(decoding: left, as: UTF8.self).uppercased()
        var right = String(decoding: right, as: UTF8.self).uppercased()
        return left.withUTF8 { left in
            right.withUTF8 { right in
                // An empty buffer may have no address.
                guard let first = left.baseAddress, let second = right.baseAddress else {
                    return left.count - right.count
                }
                let order = memcmp(first, second, min(left.count, right.count))
                return order == 0 ? left.count - right.count : Int(order)
            }
        }
    }
}
