// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce

/// The ids of records: a key prefix of three characters, an instance of three and a counter in base 62; in the long
/// form three more, which tell upper from lower case, so that the id survives systems that do not.
enum RecordID {
    private static let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

    /// The id of 18 characters of the record with this number.
    ///
    /// Greater numbers sort behind smaller ones.
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

    /// The long form of an id of 15 or 18 characters; nil for texts that cannot be an id.
    static func normalized(_ text: String) -> String? { SalesforceID.longForm(of: text) }

    static func prefix(_ id: String) -> String { String(id.prefix(3)) }
    /// The form of 15 characters.
    static func short(_ id: String) -> String { String(id.prefix(15)) }
}
