// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// A page of a query's result: an ``EntryPage`` or a ``RowPage``, and no other type.
public protocol ResultPage: Sendable, Hashable {
    /// Whether the elements of the page are entries; otherwise they are rows.
    static var holdsEntries: Bool { get }
    /// The number of elements; if it is less than the page size of the query, the page is the last one.
    var count: Int { get }
    /// The page as JSON texts: an object for each entry, or an array for each row.
    var texts: [JSONText] { get }
    /// Creates the page from one that a ``StoreReader`` returned.
    ///
    /// - Throws: ``SoupError`` with `badQuerySpec` if the page has elements of the other kind.
    init(_ page: QueryPage) throws
}

/// A page of entries, for queries without select paths.
public struct EntryPage: ResultPage {
    /// The entries, in the order of the query.
    public let entries: [SoupEntry]

    /// Creates a page of entries from one that a ``StoreReader`` returned.
    ///
    /// - Throws: ``SoupError`` with `badQuerySpec` for a page of rows.
    public init(_ page: QueryPage) throws {
        guard case .entries(let entries) = page else { throw Self.mismatch(hint: "Use RowPage.") }
        self.entries = entries
    }

    /// True: the elements are entries.
    public static var holdsEntries: Bool { true }
    /// The number of entries; if it is less than the page size of the query, the page is the last one.
    public var count: Int { entries.count }
    /// The entries as JSON objects, system fields included.
    public var texts: [JSONText] { entries.map(\.json) }
}

/// A page of rows, for queries with select paths and for Smart SQL.
public struct RowPage: ResultPage {
    /// One JSON array for each row: the values of the select paths, or of the columns of Smart SQL, in order.
    public let rows: [JSONText]

    /// Creates a page of rows from one that a ``StoreReader`` returned.
    ///
    /// - Throws: ``SoupError`` with `badQuerySpec` for a page of entries.
    public init(_ page: QueryPage) throws {
        guard case .rows(let rows) = page else { throw Self.mismatch(hint: "Use EntryPage.") }
        self.rows = rows
    }

    /// False: the elements are rows.
    public static var holdsEntries: Bool { false }
    /// The number of rows; if it is less than the page size of the query, the page is the last one.
    public var count: Int { rows.count }
    /// The rows as JSON arrays.
    public var texts: [JSONText] { rows }
}

extension ResultPage {
    /// Checks that a query returns elements of this kind.
    ///
    /// - Parameters:
    ///   - entries: the method for queries that return entries, for the hint.
    ///   - rows: the method for queries that return rows, for the hint.
    /// - Throws: ``SoupError`` with `badQuerySpec` and the other method.
    static func check(_ spec: QuerySpec, entries: String, rows: String) throws {
        guard spec.yieldsEntries == holdsEntries else {
            throw mismatch(hint: "Use \(holdsEntries ? rows : entries).")
        }
    }

    fileprivate static func mismatch(hint: String) -> SoupError {
        let message = holdsEntries ? "the query returns rows, not entries" : "the query returns entries, not rows"
        return SoupError(.badQuerySpec, message, hint: hint)
    }
}

extension PositionedPage where Page == QueryPage {
    /// Returns the page as one of entries or of rows, with the same next position.
    func typed<Result: ResultPage>() throws -> PositionedPage<Result> {
        PositionedPage<Result>(try Result(page), next: next)
    }
}
