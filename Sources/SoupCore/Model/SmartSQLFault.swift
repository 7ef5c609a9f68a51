// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A fault in a Smart SQL text, before its line is computed.
struct SmartSQLFault: Error {
    var code: SoupError.Code
    var message: String
    /// The offset in bytes from the start of the text.
    var offset: Int
    var hint: String?

    func error(in text: String) -> SoupError {
        SoupError(code, message, place: SoupError.Place(offset: offset, quoting: text), hint: hint)
    }
}
