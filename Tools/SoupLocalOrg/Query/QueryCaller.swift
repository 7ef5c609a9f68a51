// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The user who runs a query, the time, and the options.
struct QueryCaller: Sendable {
    var userId: String
    /// Milliseconds since 1970.
    var now: Int64
    /// Whether the query includes deleted records.
    var seesDeleted = false
    /// Whether an empty ID in a list is rejected.
    var refusesEmptyIds = true
    /// The version of the API.
    var version = 60.0
    /// Whether `ALL ROWS` is accepted, which includes deleted records.
    var allowsAllRows = false
    /// The seed by which the rows of queries without an order are shuffled; nil sorts them by ID.
    var shuffleSeed: Int64?
    /// The user's time zone.
    var zone = OrgZone()

    var today: OrgDate { OrgDate(zone.local(now)) }
}
