// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// An optional feature of a backend.
///
/// The engine checks a capability before it uses the feature. If an app calls a feature that the backend does not
/// claim, the call throws `notSupported`; it never returns a wrong result. The exception is ``syncedCopies``: without
/// it, no entry has a copy.
public struct StoreCapability: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral {
    /// The name in lower camel case, such as `fullText`.
    public let rawValue: String
    /// Creates a capability with any name: backends may define their own.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Creates the capability of a name from a literal such as `"fullText"`.
    public init(stringLiteral value: String) { self.rawValue = value }

    /// The backend answers queries of the kind ``QuerySpec/Kind/smart(_:)``.
    public static let smartSQL: Self = "smartSQL"
    /// The backend has indexes of the kind ``IndexSpec/Kind/fullText`` and answers match queries.
    public static let fullText: Self = "fullText"
    /// The backend has indexes of the kind ``IndexSpec/Kind/json1``, and answers queries over paths without an index.
    ///
    /// `syncs_soup` uses these indexes if they are supported, else `string` ones.
    public static let json1: Self = "json1"
    /// The backend stores soups in SQL tables with the mobile SDKs' layout, and supports ``StoreBackend/convert(_:)``.
    ///
    /// The tables are `soup_attrs`, `soup_index_map` and `TABLE_n`; Smart SQL can use their names directly.
    public static let sqlTables: Self = "sqlTables"
    /// The changes of a write that has returned survive the end of the process.
    public static let durable: Self = "durable"
    /// The store can only be read, because neither the file nor its folder is writable: every write throws
    /// `storeUnusable`.
    public static let readOnly: Self = "readOnly"
    /// The backend keeps an entry's text from before its local changes: its synced copy.
    ///
    /// This applies to soups with an index on `__local__`. The merge mode `MERGE` needs it.
    public static let syncedCopies: Self = "syncedCopies"
    /// The backend supports ``StoreBackend/alterSoup(_:to:reIndex:)`` and ``StoreBackend/reIndexSoup(_:paths:)``.
    public static let soupAlteration: Self = "soupAlteration"
    /// The backend can be a part of another store: it supports ``StoreBackend/writeBlocking(at:_:)`` and
    /// ``StoreBackend/readBlocking(cancellation:_:)``.
    public static let composable: Self = "composable"
    /// The backend supports ``StoreWriter/restore(_:in:)``: it can hold the entries of another store as they are.
    public static let restoring: Self = "restoring"
    /// The backend supports ``StoreBackend/foreignCommits()``: it knows whether another process has changed the data.
    public static let foreignCommits: Self = "foreignCommits"
    /// The backend's ``StoreBackend/changes(in:)`` also reports the writes of other processes, and of other opened
    /// stores of the same data.
    public static let foreignChanges: Self = "foreignChanges"
}

extension SoupError {
    /// Returns the error of a backend that does not implement an operation.
    static func unsupported(_ operation: String) -> SoupError {
        SoupError(
            .notSupported, "this store cannot \(operation)", hint: "Use a backend that can, such as sqlite.")
    }
}
