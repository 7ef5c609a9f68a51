// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A value that the scanner found: its kind and the bytes it occupies.
///
/// It points into a text and copies nothing.
public struct JSONField: Sendable, Hashable {
    /// The kind of a value, decided while scanning.
    public enum Kind: UInt8, Sendable, Hashable {
        /// The path leads nowhere.
        case missing
        case null
        case `true`
        case `false`
        case number
        /// A string without escapes: its bytes between the quotes are its text.
        case string
        /// A string with at least one escape: read it with ``JSONText/string``.
        case escapedString
        case array
        case object
        /// What was gathered by following a path through an array: an array, held in ``JSONProjected/collected``.
        case collected
    }

    /// Says how to read the bytes, and whether there are any.
    public var kind: Kind
    /// The first byte of the value; for ``Kind/collected`` the index into the collected texts.
    public var start: Int
    /// Behind the last byte of the value.
    public var end: Int
    /// The opening quote of the member's key when the value is a member of an object, else -1.
    public var memberStart: Int

    /// Made by scanners; nothing is checked against a text.
    public init(kind: Kind, start: Int, end: Int, memberStart: Int = -1) {
        self.kind = kind
        self.start = start
        self.end = end
        self.memberStart = memberStart
    }

    /// The value that a path does not lead to.
    public static let missing = JSONField(kind: .missing, start: 0, end: 0)

    /// True when the path leads nowhere; null is not missing.
    public var isMissing: Bool { kind == .missing }
    /// True for a missing value and for JSON null, which index columns treat alike.
    public var isMissingOrNull: Bool { kind == .missing || kind == .null }
    /// The bytes of the value, with a string's quotes; empty when it is missing.
    ///
    /// Not to be asked of a ``Kind/collected`` field, which has no bytes in the text: it may trap.
    public var range: Range<Int> { start..<end }
}
