// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A query that is being read page by page: the rows found when it was run, read when their page is asked for.
struct QueryCursor: Sendable {
    var plan: QueryPlan
    var rows: [Int64]
    var pageSize: Int
    /// Milliseconds since 1970.
    var created: Int64
    /// Pages that were asked for, the first included.
    var pages = 1
    /// When a page was last asked for.
    var used: Int64
    /// The rows as they were when the query was run; nil when they are read again.
    var kept: [[UInt8]]?

    init(plan: QueryPlan, rows: [Int64], pageSize: Int, created: Int64) {
        self.plan = plan
        self.rows = rows
        self.pageSize = pageSize
        self.created = created
        used = created
    }
}

/// The queries that can be continued.
struct QueryCursors: Sendable {
    private var cursors: [String: QueryCursor] = [:]
    private var order: [String] = []
    private var made: Int64 = 0

    /// Keeps a query and returns its locator.
    ///
    /// - Parameter capacity: how many are kept; the oldest go first.
    mutating func keep(_ cursor: QueryCursor, capacity: Int) -> String {
        made += 1
        let locator = RecordID.make("01g", made)
        cursors[locator] = cursor
        order.append(locator)
        while order.count > max(1, capacity) { cursors.removeValue(forKey: order.removeFirst()) }
        return locator
    }

    /// The query of a locator; nil when there is none, or when it is too old or was left alone for too long.
    mutating func take(_ locator: String, now: Int64, options: OrgOptions) -> QueryCursor? {
        guard var cursor = cursors[locator], now - cursor.created < options.cursorLifetime,
            options.cursorIdleTime.map({ now - cursor.used < $0 }) ?? true
        else { return nil }
        cursor.used = now
        cursor.pages += 1
        cursors[locator] = cursor
        return cursor
    }

    /// Forgets all queries.
    mutating func expireAll() {
        cursors = [:]
        order = []
    }
}
