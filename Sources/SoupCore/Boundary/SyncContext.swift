// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// What a target gets to work with, in every call: the server, the time, and the few local facts that it may need.
///
/// A target sees neither the manager nor the store.
public struct SyncContext: Sendable {
    /// Sends requests to the session's server, authorised and with retries; see ``HTTPTransport``.
    public var transport: any HTTPTransport
    /// Where a versioned REST API starts, such as `/services/data/v66.0`.
    public var apiPath: String
    /// The engine's clock: with it for times and waits, a target can be tested without waiting.
    public var clock: any SoupClock
    /// The soup of the sync.
    public var soup: SoupName
    /// The sync's merge mode, and the fields to send when the target names none.
    public var options: SyncOptions
    /// How far earlier runs got; nil for a full fetch.
    public var highWaterMark: HighWaterMark?
    /// For trees: how far the children of each part behind the first have come, in the order of the layout; a part that
    /// is nil or missing has to be fetched whole.
    ///
    /// Each counts for children of parents that came before; a parent that changed since ``highWaterMark`` is to bring
    /// all of its children.
    public var partMarks: [HighWaterMark?] = []
    /// Tells the engine, while a page is still arriving, the cursor of the page behind it: it may ask for that one
    /// already.
    ///
    /// What counts is the cursor that the page has in the end. One that is not the same costs a request.
    public var announceNext: @Sendable (_ cursor: PageCursor) -> Void = { _ in }
    /// Tells the log.
    ///
    /// Never records, never secrets.
    public var log: @Sendable (_ message: String) -> Void
    /// Values of a path in a soup, read page by page in ascending order; for targets that start from local rows.
    public var localValues: @Sendable (_ path: JSONPath, _ soup: SoupName) async throws -> [String]
    /// The same, of those entries only that have nothing, or null, at another path.
    public var localValuesLacking:
        @Sendable (
            _ path: JSONPath, _ missing: JSONPath, _ soup: SoupName
        ) async throws -> [String]

    /// Made by the engine for each run; the defaults are for tests of targets, where nobody logs and nothing is stored.
    public init(
        transport: any HTTPTransport, apiPath: String = "/services/data/v66.0", clock: any SoupClock = SystemClock(),
        soup: SoupName, options: SyncOptions = SyncOptions(), highWaterMark: HighWaterMark? = nil,
        log: @escaping @Sendable (String) -> Void = { _ in },
        localValues: @escaping @Sendable (JSONPath, SoupName) async throws -> [String] = { _, _ in [] },
        localValuesLacking: @escaping @Sendable (JSONPath, JSONPath, SoupName) async throws -> [String] = { _, _, _ in
            []
        }
    ) {
        self.transport = transport
        self.apiPath = apiPath
        self.clock = clock
        self.soup = soup
        self.options = options
        self.highWaterMark = highWaterMark
        self.log = log
        self.localValues = localValues
        self.localValuesLacking = localValuesLacking
    }
}

/// How far a sync down got, by the modification dates of the records it saved.
public struct HighWaterMark: Sendable, Hashable, Codable {
    /// Milliseconds since 1970.
    public var time: Int64
    /// Whether records of that very instant may still be missing: then the next fetch includes it (`>=`), else it
    /// starts behind it (`>`).
    public var inclusive: Bool

    /// Made by the engine, and by tests of targets that ask for changes only.
    public init(time: Int64, inclusive: Bool) {
        self.time = time
        self.inclusive = inclusive
    }
}
