// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import SoupCore

extension JSONText {
    /// The number of the text, in the first of these types that has all its digits: `Int`, `UInt64`, `Double`,
    /// `Decimal`.
    ///
    /// If none has, the nearest `Double`; beyond the range of `Double`, the greatest finite one.
    var number: any Sendable {
        let text = description
        let isNegativeZero = text == "-0"
        if !isNegativeZero, let whole = Int64(text) { return Int(exactly: whole) ?? whole }
        if let whole = UInt64(text), !isNegativeZero { return whole }
        let number = JSONNumber(text)
        let real = number?.doubleValue ?? 0
        if number == JSONNumber("\(real)") { return real }
        guard let decimal = Decimal(string: text, locale: nil), JSONNumber(decimal.description) == number else {
            return real
        }
        return decimal
    }
}
