// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A query that is being read page by page: the rows found when it was run, read when their page is asked for.
struct QueryCursor: Sendable {
    var plan: QueryPlan
    var rows: [Int64]
    var pageSize: Int
    /// Milliseconds since 1970.
    var created: Int64
    var pagesServed = 1
}

/// The queries that can be continued.
struct QueryCursors: Sendable {
    private var cursors: [String: QueryCursor] = [:]
    private var order: [String] = []
    private var made: Int64 = 0

    /// How many are kept; the oldest go first.
    static let capacity = 2000

    /// Keeps a query and returns its locator.
    mutating func keep(_ cursor: QueryCursor) -> String {
        made += 1
        let locator = RecordID.make("01g", made)
        cursors[locator] = cursor
        order.append(locator)
        if order.count > Self.capacity { cursors.removeValue(forKey: order.removeFirst()) }
        return locator
    }

    subscript(locator: String) -> QueryCursor? {
        get { cursors[locator] }
        set { cursors[locator] = newValue }
    }

    /// Forgets all queries.
    mutating func expireAll() {
        cursors = [:]
        order = []
    }
}
