// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The modification dates that the transactions of an open store assign: no two transactions assign the same one.
///
/// The dates of transactions within one millisecond are therefore ahead of the clock, and so are those after the clock
/// was set back. A backend asks for a date when a write begins, and records the latest date that the write assigned
/// when it is committed. Writes are serial, so a backend needs no further lock between the two.
public struct TransactionDates: Sendable {
    private var last: Int64 = .min

    /// Creates the dates of a store that was just opened.
    public init() {}

    /// Returns the date of the next transaction, in milliseconds since 1970.
    public func next(at now: Int64) -> Int64 { last < now ? now : last + 1 }

    /// Records a date that a committed transaction has assigned; an earlier one is ignored.
    public mutating func note(_ date: Int64) { last = max(last, date) }
}
