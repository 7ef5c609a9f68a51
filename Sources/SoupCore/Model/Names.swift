// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The name of a soup: any text that is not empty and holds none of `:`, `{`, `}` and control characters.
public struct SoupName: RawRepresentable, Sendable, Hashable, Comparable, Codable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
    public init(_ name: String) { self.rawValue = name }
    public init(stringLiteral value: String) { self.rawValue = value }

    public var description: String { rawValue }
    public static func < (left: SoupName, right: SoupName) -> Bool { left.rawValue < right.rawValue }

    /// Whether a soup of this name can be registered and queried: Smart SQL has no escape for its own punctuation.
    public var isValid: Bool {
        !rawValue.isEmpty && !rawValue.unicodeScalars.contains { ":{}".unicodeScalars.contains($0) || $0.value < 0x20 }
    }
}

/// The fields that SoupKit itself keeps in entries.
public enum EntryField {
    /// The entry's id in its soup; on reading only, stored as a column.
    public static let entryId = "_soupEntryId"
    /// Milliseconds since 1970 of the last write; on reading only, stored as a column.
    public static let lastModified = "_soupLastModifiedDate"
    /// The creation time, in Smart SQL only.
    public static let created = "_soupCreatedDate"
    /// The whole entry, in Smart SQL only.
    public static let whole = "_soup"

    /// True when the entry has changes that the server has not.
    public static let local = "__local__"
    public static let locallyCreated = "__locally_created__"
    public static let locallyUpdated = "__locally_updated__"
    public static let locallyDeleted = "__locally_deleted__"
    /// The four local flags, in the order in which they are written.
    public static let localFlags = [local, locallyCreated, locallyUpdated, locallyDeleted]
    /// The id of the sync down that wrote the entry last.
    public static let syncId = "__sync_id__"
    /// The JSON text of the error that the server gave when the entry was last pushed.
    public static let lastError = "__last_error__"
    /// Every member that SoupKit keeps in or beside an entry.
    public static let own = [entryId, lastModified, created, whole] + localFlags + [syncId, lastError]
}
