// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The methods of the developer guide, with the names that code ported from the Mobile SDK uses, for threads that can
/// wait.
///
/// Each calls a native method and blocks the calling thread until it ends. They may be called from any thread,
/// including those of Swift's concurrency, and from many threads at once. They must not be called inside
/// ``SmartStore/write(_:)``, because they would wait for it: there they throw `insideWrite`. A task that was cancelled
/// before gets `CancellationError`; a call that has begun is completed. New code should use the native methods, which
/// block no thread.
///
/// Differences from the Mobile SDK:
/// * All of them but ``registerSoup(withName:withIndexPaths:)`` and ``query(_:)`` throw ``SoupError``. A missing soup
///   is an error everywhere except in ``soupExists(forName:)`` and ``removeSoup(_:)``.
/// * A batch is written completely or not at all; an unknown `_soupEntryId` creates a new entry.
/// * IDs and counts are `Int`s, entries `[String: Any]`, where Objective-C has `NSNumber` and `NSDictionary`.
extension SmartStore {
    // MARK: Soups

    /// Registers a soup; an existing soup is not changed, even if its specs differ.
    ///
    /// - Throws: ``SoupError`` with `badSoupName` or `noIndexSpecs`.
    public func registerSoup(withName name: String, withIndices indices: [SoupIndex]) throws {
        try waiting { try await registerSoup(SoupName(name), indices.map(\.spec)) }
    }

    /// Registers a soup with all paths indexed as `json1`.
    ///
    /// - Returns: true, or the error of ``registerSoup(withName:withIndices:)`` in a ``SmartStoreError``.
    @discardableResult
    public func registerSoup(
        withName name: String, withIndexPaths paths: [String]
    ) -> Result<Bool, SmartStoreError> {
        Result(of: {
            try waiting { try await registerSoup(SoupName(name), paths.map { IndexSpec(JSONPath($0), .json1) }) }
            return true
        })
    }

    /// Returns whether a soup with that name is registered.
    public func soupExists(forName name: String) throws -> Bool {
        try waiting { try await soupExists(SoupName(name)) }
    }

    /// Returns the index specs of a soup, in the order of registration.
    ///
    /// - Throws: ``SoupError`` with `soupNotFound`.
    public func indices(forSoupNamed name: String) throws -> [SoupIndex] {
        try waiting { try await indexSpecs(of: SoupName(name)) }.map { SoupIndex($0) }
    }

    /// Removes all entries of a soup; the IDs continue to count up.
    ///
    /// - Throws: ``SoupError`` with `soupNotFound`.
    public func clearSoup(_ name: String) throws { try waiting { try await clearSoup(SoupName(name)) } }

    /// Removes a soup with all its entries; a missing soup is ignored.
    public func removeSoup(_ name: String) throws { try waiting { try await removeSoup(SoupName(name)) } }

    /// Removes all soups of the store in one transaction, including those that contain the state of syncs.
    public func removeAllSoups() throws {
        try waiting {
            try await write { writer in for soup in try writer.soupNames() { try writer.removeSoup(soup) } }
        }
    }

    /// Replaces the index specs of a soup; entries, IDs and dates stay.
    ///
    /// - Parameter reIndexData: whether new paths get their values from the entries now; without it, queries on them
    ///   find nothing before ``reIndexSoup(named:indexPaths:)``.
    /// - Throws: ``SoupError``: `soupNotFound`, `noIndexSpecs`, `notSupported`; then nothing has changed.
    public func alterSoup(named name: String, indexSpecs: [SoupIndex], reIndexData: Bool) throws {
        try waiting { try await alterSoup(SoupName(name), to: indexSpecs.map(\.spec), reIndex: reIndexData) }
    }

    /// Recomputes the index values of paths from the entries; paths that are not indexed are ignored.
    ///
    /// - Throws: ``SoupError``: `soupNotFound`, `notSupported`.
    public func reIndexSoup(named name: String, indexPaths: [String]) throws {
        try waiting { try await reIndexSoup(SoupName(name), paths: indexPaths.map { JSONPath($0) }) }
    }

    // MARK: Queries

    /// Returns a page of a query's result, counted from 0; a page after the last one is empty.
    ///
    /// - Returns: entries as `[String: Any]`; for select paths and Smart SQL rows as `[Any]`. Null is `NSNull`; a
    ///   number is the first of `Int`, `UInt64`, `Double` and `Decimal` that has all its digits.
    /// - Throws: ``SoupError``: `soupNotFound`, `unknownSoup`, `badReference`, `onlySelect`, `sql` and others.
    public func query(using spec: QuerySpec, startingFromPageIndex page: UInt) throws -> [Any] {
        try query(using: spec, startingFromPageIndex: page, whereArgs: [])
    }

    /// Returns a page of a smart query, with values for each `?`, in order.
    ///
    /// - Throws: ``SoupError`` with `whereArgsNotSupported` for arguments with another query, `json` for an argument
    ///   that is not a JSON value, or a number with more digits than can be compared; the errors of
    ///   ``query(using:startingFromPageIndex:)``.
    public func query(
        using spec: QuerySpec, startingFromPageIndex page: UInt, whereArgs: [Any]
    ) throws -> [Any] {
        let arguments = try asSoupErrors { try whereArgs.map { try JSONValue(any: $0) } }
        let page = Int(clamping: page)
        let found = try waiting {
            try await backend.quickRead { try $0.query(spec, page: page, arguments: arguments) }
        }
        switch found {
        case .entries(let entries): return entries.map(\.anyValue)
        case .rows(let rows): return rows.map(\.anyValue)
        }
    }

    /// Returns all rows of a Smart SQL query, each `[Any]`, or the error if it fails.
    public func query(_ smartSql: String) -> Result<[Any], SmartStoreError> {
        Result(of: { try waiting { try await rawRows(smartSql, []) }.map(\.anyValue) })
    }

    /// Returns the number of rows that a query has on all pages.
    ///
    /// - Throws: the errors of ``query(using:startingFromPageIndex:)``.
    public func count(using spec: QuerySpec) throws -> Int { try waiting { try await count(spec) } }

    // MARK: Entries

    /// Writes entries: one with an existing `_soupEntryId` replaces that entry, any other creates a new one.
    ///
    /// A value that is returned as it was read keeps its bytes, including a number that no Swift type can represent.
    ///
    /// - Returns: the entries as they are stored now, with `_soupEntryId` and `_soupLastModifiedDate`, in order.
    /// - Throws: ``SoupError``: `soupNotFound`; `json` for a value that JSON cannot represent. Then no entry is
    ///   written.
    @discardableResult
    public func upsert(entries: [[String: Any]], forSoupNamed name: String) throws -> [[String: Any]] {
        try upsert(entries: entries, forSoupNamed: name, withExternalIdPath: EntryField.entryId)
    }

    /// Writes entries: each replaces the entry with the same value at an indexed path, or creates a new one.
    ///
    /// - Returns: as `upsert(entries:forSoupNamed:)`.
    /// - Throws: ``SoupError``: `externalIdMissing`, for null too; `indexNotDefined`; `notUnique`; the errors of
    ///   `upsert(entries:forSoupNamed:)`. Then no entry is written.
    @discardableResult
    public func upsert(
        entries: [[String: Any]], forSoupNamed name: String, withExternalIdPath path: String
    ) throws -> [[String: Any]] {
        let records = try entries.enumerated().map { index, entry in
            try asSoupErrors(at: "entries[\(index)]") { try JSONText(any: entry) }
        }
        let externalIdPath = path == EntryField.entryId ? nil : JSONPath(path)
        let soup = SoupName(name)
        return try waiting {
            try await write { writer in
                let preserved = try writer.preservingBytes(of: soup, in: records, matching: externalIdPath)
                let results = try writer.upsert(
                    RecordBatch(preserved), into: soup, matching: externalIdPath.map { .path($0) } ?? .entryId)
                return try writer.entries(results.map(\.id), of: soup)
            }
        }.map(\.anyValue)
    }

    /// Returns the entries with these IDs, in the order of the IDs; unknown IDs are left out.
    ///
    /// - Throws: ``SoupError`` with `soupNotFound`.
    public func retrieve(usingSoupEntryIds ids: [Int64], fromSoupNamed name: String) throws -> [[String: Any]] {
        try waiting { try await retrieve(ids, from: SoupName(name)) }.map(\.anyValue)
    }

    /// Returns the ID of the only entry with that text, or number, at an indexed path; nil for none.
    ///
    /// - Throws: ``SoupError``: `soupNotFound`, `indexNotDefined`, `notUnique`.
    public func lookupSoupEntryId(soupNamed name: String, fieldPath: String, fieldValue: String) throws -> Int64? {
        try waiting { try await lookup(.string(fieldValue), at: JSONPath(fieldPath), in: SoupName(name)) }
    }

    /// Removes entries from the device; unknown IDs are ignored.
    ///
    /// - Throws: ``SoupError`` with `soupNotFound`.
    public func remove(entryIds ids: [Int64], forSoupNamed name: String) throws {
        _ = try waiting { try await remove(ids, from: SoupName(name)) }
    }

    /// Removes the entries that a query finds, at most one page of the spec's size, as the mobile SDKs do.
    ///
    /// - Throws: ``SoupError``: `badQuerySpec` for Smart SQL that does not select `{soup:_soupEntryId}` first; the
    ///   errors of ``query(using:startingFromPageIndex:)``.
    public func removeEntries(usingQuerySpec spec: QuerySpec, forSoupNamed name: String) throws {
        _ = try waiting { try await remove(matching: spec, from: SoupName(name)) }
    }
}

/// Converts errors about JSON to ``SoupError``s, with the path of the argument before theirs.
private func asSoupErrors<T>(at path: String? = nil, _ body: () throws -> T) throws -> T {
    do {
        return try body()
    } catch var error as SoupError {
        let inner = error.place?.path
        error.place = SoupError.Place(path: [path, inner].compactMap { $0 }.joined(separator: "."))
        throw error
    } catch let error as JSONError {
        throw SoupError(.json, error.reason.rawValue, place: path.map { SoupError.Place(path: $0) }, cause: error)
    }
}

extension SoupEntry {
    /// The entry, system fields included, for ported code.
    fileprivate var anyValue: [String: Any] { json.anyValue as? [String: Any] ?? [:] }
}
