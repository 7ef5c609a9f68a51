// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A place between two pages of a query's result, from which the next page goes on.
///
/// Backends make it and read it. It stays good while the soup changes, and after the store was opened again.
public enum QueryPosition: Sendable, Hashable {
    /// Behind an entry, told by its value at the order path and by its id: the page that follows costs as much as any
    /// other, and entries written meanwhile neither push others out of the walk nor bring them in twice.
    case entry(order: JSONValue, id: Int64)
    /// Before a page, counted from 0: what is in front of it is gone through again.
    case page(Int)
}

/// A page, and where the next one begins.
public struct PositionedPage: Sendable, Hashable {
    /// The rows.
    public var page: QueryPage
    /// What to give to ``StoreReader/query(_:after:arguments:)`` for the page that follows; nil behind the last one.
    public var next: QueryPosition?

    /// Made by backends.
    public init(_ page: QueryPage, next: QueryPosition?) {
        self.page = page
        self.next = next
    }
}
