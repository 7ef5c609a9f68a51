// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

extension HTTPAnswer {
    /// The time of the response, as the modification date of the confirmed records: never before the server's own.
    ///
    /// The header has no fractions of a second, so the date is the last millisecond of that second.
    public var confirmationDate: String? { serverTime.map { DateText.format($0.millisecondsSince1970 + 999) } }
}
