// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// Something that a backend may or may not be able to do.
///
/// What needs a capability that a backend does not claim throws `notSupported`: never a wrong or an empty answer.
public struct StoreCapability: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral {
    /// The name in lower camel case, such as `fullText`.
    public let rawValue: String
    /// Takes any name: backends may have capabilities of their own.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Lets `"fullText"` stand for the capability of that name.
    public init(stringLiteral value: String) { self.rawValue = value }

    /// Answers queries of the kind ``QuerySpec/Kind/smart(_:)``.
    public static let smartSQL: Self = "smartSQL"
    /// Keeps indexes of the kind ``IndexSpec/Kind/fullText`` and answers match queries.
    public static let fullText: Self = "fullText"
    /// Keeps indexes of the kind ``IndexSpec/Kind/json1``, and answers queries over paths without an index.
    ///
    /// `syncs_soup` is indexed by them where they exist, else by `string` ones.
    public static let json1: Self = "json1"
    /// Keeps soups in SQL tables of the mobile SDKs' shape, `soup_attrs`, `soup_index_map` and `TABLE_n`, which Smart
    /// SQL can name as they are, and answers ``StoreBackend/convert(_:)``.
    public static let sqlTables: Self = "sqlTables"
    /// What a write has returned survives the death of the process.
    public static let durable: Self = "durable"
    /// Can be read only, because neither the file nor its folder can be written: every write throws `storeUnusable`.
    public static let readOnly: Self = "readOnly"
    /// Keeps, beside an entry with local changes, the text that it had before them: its synced copy.
    ///
    /// In soups with an index on `__local__`. The merge mode `MERGE` needs it.
    public static let syncedCopies: Self = "syncedCopies"
}
