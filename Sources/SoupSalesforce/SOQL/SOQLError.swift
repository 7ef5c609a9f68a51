// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

extension SoupError.Code {
    /// A text that is not SOQL: the place is the position of the unexpected token, which the message names.
    public static let soql: Self = "soql"
}

extension SoupError {
    /// Returns the error for a fault at a byte offset of a query.
    static func soql(_ message: String, at offset: Int, in source: [UInt8], hint: String? = nil) -> SoupError {
        SoupError(.soql, message, place: SoupError.Place(offset: offset, in: source), hint: hint)
    }
}
