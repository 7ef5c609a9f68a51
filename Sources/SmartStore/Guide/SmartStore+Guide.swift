// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The forms of the developer guide: the operations of the store under the names that code ported from the Mobile SDK
/// uses, for threads that can wait.
///
/// Each is a native method whose end the calling thread waits for. They may be called from any thread, from the
/// threads of Swift's concurrency too, and from many at once; not from inside of ``SmartStore/write(_:)``, which they
/// would wait for: there they throw `insideWrite`. A task that was cancelled before gets `CancellationError`; a call
/// that has begun ends as if nothing had happened. New code is better off with the native methods, which keep no thread
/// waiting.
///
/// Where they differ from the Mobile SDK:
/// * All of them but ``registerSoup(withName:withIndexPaths:)`` and ``query(_:)`` throw, ``SoupError``, and a soup that
///   is not there is an error everywhere except in ``soupExists(forName:)`` and ``removeSoup(_:)``.
/// * A batch is written as a whole or not at all; an unknown `_soupEntryId` makes a new entry.
/// * Ids and counts are `Int`s, entries `[String: Any]`, where Objective-C has `NSNumber` and `NSDictionary`.
extension SmartStore {
    // MARK: Soups

    /// Registers a soup; one that exists is left as it is, even with other specs.
    ///
    /// - Throws: ``SoupError`` with `badSoupName` or `noIndexSpecs`.
    public func registerSoup(withName name: String, withIndices indices: [SoupIndex]) throws {
        try waiting { try await registerSoup(SoupName(name), indices.map(\.spec)) }
    }

    /// Registers a soup whose paths are all indexed as `json1`.
    ///
    /// - Returns: true, or the error that ``registerSoup(withName:withIndices:)`` throws in a ``SmartStoreError``.
    @discardableResult
    public func registerSoup(
        withName name: String, withIndexPaths paths: [String]
    ) -> Result<Bool, SmartStoreError> {
        Result(of: {
            try waiting { try await registerSoup(SoupName(name), paths.map { IndexSpec(JSONPath($0), .json1) }) }
            return true
        })
    }

    /// Whether a soup of that name is registered.
    public func soupExists(forName name: String) throws -> Bool {
        try waiting { try await soupExists(SoupName(name)) }
    }

    /// The index specs of a soup, in the order of registration.
    ///
    /// - Throws: ``SoupError`` with `soupNotFound`.
    public func indices(forSoupNamed name: String) throws -> [SoupIndex] {
        try waiting { try await indexSpecs(of: SoupName(name)) }.map { SoupIndex($0) }
    }

    /// Deletes all entries of a soup; ids go on counting.
    ///
    /// - Throws: ``SoupError`` with `soupNotFound`.
    public func clearSoup(_ name: String) throws { try waiting { try await clearSoup(SoupName(name)) } }

    /// Removes a soup with all its entries; one that is not there is no error.
    public func removeSoup(_ name: String) throws { try waiting { try await removeSoup(SoupName(name)) } }

    /// Removes every soup of the store, in one transaction; those in which syncs keep their state are among them.
    public func removeAllSoups() throws {
        try waiting {
            try await write { writer in for soup in try writer.soupNames() { try writer.removeSoup(soup) } }
        }
    }

    /// Gives a soup other index specs; entries, ids and dates stay.
    ///
    /// - Parameter reIndexData: whether new paths get their values from the entries now; without it they find nothing
    ///   before ``reIndexSoup(named:indexPaths:)``.
    /// - Throws: ``SoupError``: `soupNotFound`, `noIndexSpecs`, `notSupported`; then nothing has changed.
    public func alterSoup(named name: String, indexSpecs: [SoupIndex], reIndexData: Bool) throws {
        try waiting { try await alterSoup(SoupName(name), to: indexSpecs.map(\.spec), reIndex: reIndexData) }
    }

    /// Takes the index values of paths from the entries again; paths that are not indexed are passed over.
    ///
    /// - Throws: ``SoupError``: `soupNotFound`, `notSupported`.
    public func reIndexSoup(named name: String, indexPaths: [String]) throws {
        try waiting { try await reIndexSoup(SoupName(name), paths: indexPaths.map { JSONPath($0) }) }
    }

    // MARK: Queries

    /// A page of a query's result, counted from 0; a page behind the last is empty.
    ///
    /// - Returns: entries as `[String: Any]`; for select paths and Smart SQL rows as `[Any]`. Null is `NSNull`; a
    ///   number is the first of `Int`, `UInt64`, `Double` and `Decimal` that holds all its digits.
    /// - Throws: ``SoupError``: `soupNotFound`, `unknownSoup`, `badReference`, `onlySelect`, `sql` and others.
    public func query(using spec: QuerySpec, startingFromPageIndex page: UInt) throws -> [Any] {
        try query(using: spec, startingFromPageIndex: page, whereArgs: [])
    }

    /// A page of a smart query with values for its `?`, in order.
    ///
    /// - Throws: ``SoupError`` with `whereArgsNotSupported` for arguments with another query, `json` for an argument
    ///   that is no JSON value, or a number with more digits than can be compared; what
    ///   ``query(using:startingFromPageIndex:)`` throws.
    public func query(
        using spec: QuerySpec, startingFromPageIndex page: UInt, whereArgs: [Any]
    ) throws -> [Any] {
        let arguments = try asSoupErrors { try whereArgs.map { try JSONValue(anything: $0) } }
        switch try waiting(for: { try await query(spec, page: Int(clamping: page), arguments: arguments) }) {
        case .entries(let entries): return entries.map(\.anything)
        case .rows(let rows): return rows.map(\.anything)
        }
    }

    /// All rows of a Smart SQL query, each `[Any]`; the error instead when it fails.
    public func query(_ smartSql: String) -> Result<[Any], SmartStoreError> {
        Result(of: { try waiting { try await rawRows(smartSql, []) }.map(\.anything) })
    }

    /// How many rows a query has on all pages.
    ///
    /// - Throws: as ``query(using:startingFromPageIndex:)``.
    public func count(using spec: QuerySpec) throws -> Int { try waiting { try await count(spec) } }

    // MARK: Entries

    /// Writes entries: one with a `_soupEntryId` that the soup has replaces that entry, any other becomes a new one.
    ///
    /// A value that is given back as it was read keeps its bytes, also a number that no Swift type holds.
    ///
    /// - Returns: the entries as they are stored now, with `_soupEntryId` and `_soupLastModifiedDate`, in order.
    /// - Throws: ``SoupError``: `soupNotFound`; `json` for a value that JSON cannot say. Then none is written.
    @discardableResult
    public func upsert(entries: [[String: Any]], forSoupNamed name: String) throws -> [[String: Any]] {
        try upsert(entries: entries, forSoupNamed: name, withExternalIdPath: EntryField.entryId)
    }

    /// Writes entries: one whose value at an indexed path an entry has replaces that entry, any other becomes a new
    /// one.
    ///
    /// - Returns: as `upsert(entries:forSoupNamed:)`.
    /// - Throws: ``SoupError``: `externalIdMissing`, for null too; `indexNotDefined`; `notUnique`; what
    ///   `upsert(entries:forSoupNamed:)` throws. Then none is written.
    @discardableResult
    public func upsert(
        entries: [[String: Any]], forSoupNamed name: String, withExternalIdPath path: String
    ) throws -> [[String: Any]] {
        let records = try entries.enumerated().map { index, entry in
            try asSoupErrors(at: "entries[\(index)]") { try JSONText(anything: entry) }
        }
        let externalIdPath = path == EntryField.entryId ? nil : JSONPath(path)
        let soup = SoupName(name)
        return try waiting {
            try await write { writer in
                let kept = try writer.keepingBytes(of: soup, in: records, matching: externalIdPath)
                let results = try writer.upsert(
                    RecordBatch(kept), into: soup, matching: externalIdPath.map { .path($0) } ?? .entryId)
                return try writer.entries(results.map(\.id), of: soup)
            }
        }.map(\.anything)
    }

    /// The entries of these ids, in the order of the ids; unknown ids are left out.
    ///
    /// - Throws: ``SoupError`` with `soupNotFound`.
    public func retrieve(usingSoupEntryIds ids: [Int], fromSoupNamed name: String) throws -> [[String: Any]] {
        try waiting { try await retrieve(ids.map { Int64($0) }, from: SoupName(name)) }.map(\.anything)
    }

    /// The id of the one entry with that text, or number, at an indexed path; nil for none.
    ///
    /// - Throws: ``SoupError``: `soupNotFound`, `indexNotDefined`, `notUnique`.
    public func lookupSoupEntryId(soupNamed name: String, fieldPath: String, fieldValue: String) throws -> Int? {
        try waiting { try await lookup(.string(fieldValue), at: JSONPath(fieldPath), in: SoupName(name)) }
            .map { Int(clamping: $0) }
    }

    /// Deletes entries from the device; unknown ids are no error.
    ///
    /// - Throws: ``SoupError`` with `soupNotFound`.
    public func remove(entryIds ids: [Int], forSoupNamed name: String) throws {
        _ = try waiting { try await delete(ids.map { Int64($0) }, from: SoupName(name)) }
    }

    /// Deletes the entries that a query finds, at most one page of them, as the mobile SDKs do: the page size of the
    /// spec bounds it.
    ///
    /// - Throws: ``SoupError``: `badQuerySpec` for Smart SQL that does not select `{soup:_soupEntryId}` first; what
    ///   ``query(using:startingFromPageIndex:)`` throws.
    public func removeEntries(usingQuerySpec spec: QuerySpec, forSoupNamed name: String) throws {
        _ = try waiting { try await delete(matching: spec, from: SoupName(name)) }
    }
}

/// Errors about JSON as ``SoupError``s, with the path of what was given in front of theirs.
private func asSoupErrors<T>(at path: String? = nil, _ body: () throws -> T) throws -> T {
    do {
        return try body()
    } catch var error as SoupError {
        let inner = error.place?.path
        error.place = Place(path: [path, inner].compactMap { $0 }.joined(separator: "."))
        throw error
    } catch let error as JSONError {
        throw SoupError(.json, error.reason.rawValue, place: path.map { Place(path: $0) }, cause: error)
    }
}

extension SoupEntry {
    /// The entry, system fields included, as ported code expects it.
    fileprivate var anything: [String: Any] { json.anything as? [String: Any] ?? [:] }
}
