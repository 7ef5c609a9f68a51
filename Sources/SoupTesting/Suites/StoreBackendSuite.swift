// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// A test of the rules of ``StoreBackend`` that data cases cannot express: walks over queries, and the end of a store.
///
/// ```swift
/// @Test func `My store follows the rules`() async throws {
///     try await StoreBackendSuite { try await MyStore.open(configuration, in: context) }.check()
/// }
/// ```
///
/// * Consecutive pages, and pages requested by number, contain the rows of the query in its order, each once.
/// * A position of another query or of another backend is rejected with `badQuerySpec`, as ``QueryPosition`` defines.
/// * Every row is a JSON array with one value for each path.
/// * A soup that was removed and registered again has another identity, and so has a soup of another store.
/// * The store has synced copies and can alter soups if it claims the capabilities, and only then.
/// * Only one holder at a time has the lease for syncing, until it is released or dropped; with ``reopen``, also over
///   two opened stores of the same data.
/// * A read that runs concurrently with writes to two soups, `things` and `others`, sees all of a write or none of it.
///   The author of a store that distributes soups over several stores routes the two soups to different ones.
/// * A store that claims `composable` has blocking access with the same transactions, snapshots and cancellation.
/// * A store that claims `restoring` stores the entries of another store as they are, with their IDs and dates.
/// * A store that claims `foreignCommits` notices the writes of others and ignores its own; with ``reopen``, the writes
///   of a second opened store of the same data.
/// * With ``reopen``, a store that claims `foreignChanges` reports the writes of a second opened store.
/// * A closed store throws ``SoupError/storeClosed``, and reports no more changes.
///
/// The data cases of the module `SoupConformance` define the correct results.
public struct StoreBackendSuite: Sendable {
    /// Opens a store without soups, a new one at every call; the suite closes it.
    public var open: @Sendable () async throws -> any StoreBackend

    /// Opens the data of an open store once more, as another process would; the suite closes the result.
    ///
    /// Nil for stores whose data cannot be opened twice, such as those in memory.
    public var reopen: (@Sendable (any StoreBackend) async throws -> any StoreBackend)?

    /// The time within which a write of another opened store must be reported.
    package var reportLimit: Duration = .seconds(10)

    /// Creates a suite for the stores that `open` opens.
    ///
    /// - Parameter reopen: opens the data of such a store once more, to check the lease over two opened stores. Pass it
    ///   for every store whose data more than one process can open.
    public init(
        open: @escaping @Sendable () async throws -> any StoreBackend,
        reopen: (@Sendable (any StoreBackend) async throws -> any StoreBackend)? = nil
    ) {
        self.open = open
        self.reopen = reopen
    }

    /// - Throws: ``ConformanceError`` with all violations; nothing if there are none.
    public func check() async throws { try ConformanceError.check("the store", await violations()) }

    /// Returns every rule that the backend violates, in the order of the checks.
    public func violations() async -> [String] {
        var report = SuiteReport()
        let opened = await report.expect("the suite opened a store, and open", rule: "open an empty store") {
            try await open()
        }
        guard let store = opened else { return report.violations }
        let filled: Void? = await report.expect("the suite wrote its soups, and write", rule: "write all entries") {
            try await Self.fill(store)
        }
        if filled != nil {
            for spec in Self.specs(store) {
                await checkWalk(over: spec, in: store, &report)
                await checkForeignPositions(of: spec, in: store, &report)
            }
            await checkDates(store, &report)
            await checkGenerations(store, &report)
            await checkSnapshots(store, &report)
            await checkBlockingAccess(store, &report)
            await checkClaims(store, &report)
            await checkRestoring(store, &report)
            await checkForeignCommits(store, &report)
            await checkForeignChanges(store, &report)
        }
        await checkLease(store, &report)
        await checkClosing(store, &report)
        return report.violations
    }

    private static func fill(_ store: any StoreBackend) async throws {
        let records = try (0..<24).map { number in
            let size = number % 5 == 0 ? "null" : String(number % 4)
            return try JSONText(#"{"name": "n\#(number % 7)", "size": \#(size), "text": "a\"\\b\#(number)"}"#)
        }
        try await store.write { writer in
            for soup in ["things", "others"] as [SoupName] {
                try writer.registerSoup(soup, [IndexSpec("name", .string), IndexSpec("size", .integer)])
                try writer.upsert(RecordBatch(records), into: soup)
            }
        }
    }

    private static func specs(_ store: any StoreBackend) -> [QuerySpec] {
        let paths: [JSONPath?] = [nil, "name", "size", "_soupEntryId"]
        let plain = paths.flatMap { path in
            [QuerySpec.Order.ascending, .descending].flatMap { order in
                [
                    QuerySpec(.all, soup: "things", orderPath: path, order: order, pageSize: 5),
                    QuerySpec(
                        .like(path: "name", key: "n%"), soup: "things", selectPaths: ["name", "size", "_soup"],
                        orderPath: path, order: order, pageSize: 5),
                ]
            }
        }
        guard store.capabilities(of: "things").contains(.smartSQL) else { return plain }
        let text = "select {things:name}, {things:size}, {things:_soup} from {things} order by {things:_soupEntryId}"
        return plain + [.smart(text, pageSize: 5)]
    }
}
