// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The environment of a target, passed to every call: the server, the time, and some local data.
///
/// A target has no access to the manager or to the store.
public struct SyncContext: Sendable {
    /// The transport to the session's server, which adds authorization and retries; see ``HTTPTransport``.
    public var transport: any HTTPTransport
    /// The path prefix of the server's API, such as `/api/v2`, without a trailing slash; empty if it has none.
    ///
    /// The session's connection names it. Only the target uses it: no request adds it to a path.
    public var basePath: String
    /// The engine's clock; a target that uses it for times and waits can be tested without waiting.
    public var clock: any SoupClock
    /// The soup of the sync.
    public var soup: SoupName
    /// The sync's merge mode, and the fields to send if the target names none.
    public var options: SyncOptions
    /// The time from which changes are missing; nil for a full fetch.
    ///
    /// It is the high-water mark of earlier runs, less the ``SyncDownTarget/lookback`` of the target.
    public var highWaterMark: HighWaterMark?
    /// The token of the last complete run, from ``RecordPage/syncToken``; nil for a full fetch.
    ///
    /// If the server no longer knows it, throw ``SoupError`` with `cursorExpired`: the engine then starts a full fetch.
    public var syncToken: String?
    /// For trees: the marks of the children of each level after the first, in the order of the layout.
    ///
    /// A level whose mark is nil or missing must be fetched completely. Each mark is valid for children of parents that
    /// were fetched before; for a parent that changed since ``highWaterMark``, the target must fetch all children.
    public var levelMarks: [HighWaterMark?] = []
    /// The way to find deletions for a target whose configuration does not choose one.
    ///
    /// Default: `compare`.
    public var deletes = DeleteMode.compare
    /// The number of entries in the soup, if a target is asked about only some of them; else nil.
    ///
    /// ``SyncDownTarget/survivors(of:level:in:)`` can then request these records by their IDs, instead of all IDs.
    public var entryCount: Int?
    /// Announces the cursor of the next page while the current page is still arriving.
    ///
    /// The next page may then be requested early. The cursor of the finished page is authoritative; if it differs from
    /// the announced one, one request is wasted.
    public var announceNext: @Sendable (_ cursor: PageCursor) -> Void = { _ in }
    /// Writes a message to the log.
    ///
    /// A message must not contain records or secrets.
    public var log: @Sendable (_ message: String) -> Void
    /// A function that returns the values of a path in a soup, read page by page in ascending order.
    ///
    /// It is for targets that start from local rows.
    public var localValues: @Sendable (_ path: JSONPath, _ soup: SoupName) async throws -> [String]
    /// A function that returns the same values, but only of the entries whose value at another path is missing or null.
    public var localValuesLacking:
        @Sendable (
            _ path: JSONPath, _ missing: JSONPath, _ soup: SoupName
        ) async throws -> [String]

    /// Creates a context; the engine does so for each run.
    ///
    /// The defaults are for tests of targets: no log and no local data.
    public init(
        transport: any HTTPTransport, basePath: String = "", clock: any SoupClock = SystemClock(),
        soup: SoupName, options: SyncOptions = SyncOptions(), highWaterMark: HighWaterMark? = nil,
        log: @escaping @Sendable (String) -> Void = { _ in },
        localValues: @escaping @Sendable (JSONPath, SoupName) async throws -> [String] = { _, _ in [] },
        localValuesLacking: @escaping @Sendable (JSONPath, JSONPath, SoupName) async throws -> [String] = { _, _, _ in
            []
        }
    ) {
        self.transport = transport
        self.basePath = basePath
        self.clock = clock
        self.soup = soup
        self.options = options
        self.highWaterMark = highWaterMark
        self.log = log
        self.localValues = localValues
        self.localValuesLacking = localValuesLacking
    }
}

/// The progress of a sync down, by the modification dates of the records that it saved.
public struct HighWaterMark: Sendable, Hashable, Codable {
    /// The time, in whole milliseconds.
    public var time: Date {
        get { Date(millisecondsSince1970: milliseconds) }
        set { milliseconds = newValue.millisecondsSince1970 }
    }
    /// The time in milliseconds since 1970.
    package var milliseconds: Int64
    /// Whether records with exactly this time may still be missing.
    ///
    /// If so, the next fetch includes the time (`>=`), else it starts after it (`>`).
    public var inclusive: Bool

    /// Creates a mark whose time is rounded to the nearest millisecond; for the engine, and for tests
    /// of targets that fetch only changes.
    public init(time: Date, inclusive: Bool) {
        self.init(milliseconds: time.millisecondsSince1970, inclusive: inclusive)
    }

    package init(milliseconds: Int64, inclusive: Bool) {
        self.milliseconds = milliseconds
        self.inclusive = inclusive
    }

    private enum CodingKeys: String, CodingKey {
        case milliseconds = "time"
        case inclusive
    }
}

extension HighWaterMark: Comparable {
    /// Returns whether a fetch from one mark finds more records: of the same time, an inclusive mark is the lower one.
    public static func < (one: HighWaterMark, other: HighWaterMark) -> Bool {
        one.milliseconds == other.milliseconds
            ? one.inclusive && !other.inclusive : one.milliseconds < other.milliseconds
    }
}
