// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A value that the scanner found: its kind and the bytes it occupies.
///
/// It points into a text and copies nothing.
public struct JSONField: Sendable, Hashable {
    /// The kind of a value, decided while scanning.
    public enum Kind: UInt8, Sendable, Hashable {
        /// The path leads to no value.
        case missing
        case null
        case `true`
        case `false`
        case number
        /// A string without escapes: the bytes between its quotes are its text.
        case string
        /// A string with at least one escape: read it with ``JSONText/string``.
        case escapedString
        case array
        case object
        /// The array that was collected by following a path through an array, stored in ``JSONProjected/collected``.
        case collected
    }

    /// The kind of the value, which determines how to read the bytes, and whether there are any.
    public var kind: Kind
    /// The offset of the first byte of the value; for ``Kind/collected`` the index into the collected texts.
    public var start: Int
    /// The offset after the last byte of the value.
    public var end: Int
    /// The offset of the opening quote of the member's key if the value is a member of an object, else -1.
    public var memberStart: Int

    /// Creates a field, for scanners; nothing is checked against a text.
    public init(kind: Kind, start: Int, end: Int, memberStart: Int = -1) {
        self.kind = kind
        self.start = start
        self.end = end
        self.memberStart = memberStart
    }

    /// The field of a path that leads to no value.
    public static let missing = JSONField(kind: .missing, start: 0, end: 0)

    /// Whether the path leads to no value; null is not missing.
    public var isMissing: Bool { kind == .missing }
    /// Whether the value is missing or JSON null, which index columns treat alike.
    public var isMissingOrNull: Bool { kind == .missing || kind == .null }
    /// The bytes of the value, with a string's quotes; empty if it is missing.
    ///
    /// Do not use it for a ``Kind/collected`` field, which has no bytes in the text: it may trap.
    public var range: Range<Int> { start..<end }
}
