// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// Who runs a query, and when.
struct QueryCaller: Sendable {
    var userId: String
    /// Milliseconds since 1970.
    var now: Int64
    /// Whether deleted records are seen.
    var seesDeleted = false
    /// Whether an empty id in a list is refused.
    var refusesEmptyIds = true
    /// The version of the API that is asked.
    var version = 60.0
    /// Whether `ALL ROWS` is taken, for deleted records too.
    var allowsAllRows = false
    /// Mixes the rows of queries without an order; nil leaves them in the order of their ids.
    var shuffleSeed: Int64?
    /// Where the user's days begin.
    var zone = OrgZone()

    var today: OrgDate { OrgDate(zone.local(now)) }
}
