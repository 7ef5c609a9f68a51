// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A query that is being read page by page: the rows found when it was run; they are read when their page is requested.
struct OrgQueryCursor: Sendable {
    var plan: QueryPlan
    var rows: [Int64]
    var pageSize: Int
    /// Milliseconds since 1970.
    var created: Int64
    /// The number of requested pages, including the first.
    var pages = 1
    /// When a page was last requested, in milliseconds since 1970.
    var used: Int64
    /// The rows as they were when the query was run; nil if they are read again.
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
///
/// If there are many, or if their rows need much memory, the oldest end; the latest is kept, regardless of its size.
struct QueryCursors: Sendable {
    private var cursors: [String: OrgQueryCursor] = [:]
    private var order: [String] = []
    private var made: Int64 = 0
    /// Their memory, in bytes.
    private var size = 0
    /// Their maximum memory, in bytes: 128 MB.
    var mostBytes = 128 << 20

    var count: Int { cursors.count }

    /// Keeps a query and returns its locator; expired queries are removed.
    mutating func keep(_ cursor: OrgQueryCursor, now: Int64, options: OrgOptions) -> String {
        for (locator, old) in cursors where !old.isGood(at: now, options) { remove(locator) }
        order.removeAll { cursors[$0] == nil }
        made += 1
        let locator = RecordID.make("01g", made)
        cursors[locator] = cursor
        size += cursor.size
        order.append(locator)
        while order.count > max(1, options.maximumCursors) || (size > mostBytes && order.count > 1) {
            remove(order.removeFirst())
        }
        return locator
    }

    /// Returns the query of a locator; nil if there is none, or if it is too old or was idle for too long.
    mutating func take(_ locator: String, now: Int64, options: OrgOptions) -> OrgQueryCursor? {
        guard var cursor = cursors[locator], cursor.isGood(at: now, options) else { return nil }
        cursor.used = now
        cursor.pages += 1
        cursors[locator] = cursor
        return cursor
    }

    /// Removes all queries.
    mutating func expireAll() {
        cursors = [:]
        order = []
        size = 0
    }

    private mutating func remove(_ locator: String) { size -= cursors.removeValue(forKey: locator)?.size ?? 0 }
}

extension OrgQueryCursor {
    /// Returns whether it can be continued at a time.
    fileprivate func isGood(at now: Int64, _ options: OrgOptions) -> Bool {
        now - created < options.cursorLifetime.milliseconds
            && options.cursorIdleTime.map { now - used < $0.milliseconds } ?? true
    }

    /// The approximate memory, in bytes.
    fileprivate var size: Int { rows.count * 8 + (kept?.reduce(0) { $0 + $1.count + 32 } ?? 0) }
}
