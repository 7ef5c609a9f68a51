// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce

/// The IDs of records: a key prefix of three characters, an instance of three and a counter in base 62.
///
/// The long form has three more characters, which encode the case of the letters for case-insensitive systems.
enum RecordID {
    private static let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

    /// Returns the ID of 18 characters of the record with this number.
    ///
    /// IDs of greater numbers sort after those of smaller ones.
    static func make(_ prefix: String, _ number: Int64) -> String {
        var bytes = Array(prefix.utf8) + Array(repeating: UInt8(ascii: "0"), count: 12)
        var rest = number
        var index = 14
        while rest > 0, index > 5 {
            bytes[index] = digits[Int(rest % 62)]
            rest /= 62
            index -= 1
        }
        return String(decoding: bytes + SalesforceID.check(of: bytes), as: UTF8.self)
    }

    /// Returns the long form of an ID of 15 or 18 characters; nil for a text that cannot be an ID.
    static func normalized(_ text: String) -> String? { SalesforceID.longForm(of: text) }

    static func prefix(_ id: String) -> String { String(id.prefix(3)) }
    /// Returns the form of 15 characters.
    static func short(_ id: String) -> String { String(id.prefix(15)) }
}
