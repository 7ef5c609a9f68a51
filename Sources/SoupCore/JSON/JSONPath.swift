// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The way to a value inside a JSON object: keys separated by dots, as index specs and query specs write it.
///
/// There is no escape and there are no subscripts: a key that contains a dot cannot be addressed, and an array on the
/// way is traversed (each element is followed, and what is found is collected).
public struct JSONPath: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The keys with dots between them.
    public let rawValue: String

    /// The same as ``init(_:)``; no text is refused.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// A path from its text; the empty one leads to the whole value.
    public init(_ text: String) { self.rawValue = text }
    /// Lets index specs and queries write `"address.city"`.
    public init(stringLiteral value: String) { self.rawValue = value }

    /// The keys, outermost first; none for the empty path, which means the whole value.
    public var keys: [String] {
        // A dot is a dot whatever combines with it, as it is for SQLite and in the bytes of a record.
        rawValue.isEmpty
            ? []
            : rawValue.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
                .map { String(Substring($0)) }
    }

    /// Paths are equal when their bytes are, as keys are in the bytes of a record: a composed letter is not a
    /// decomposed one.
    public static func == (left: JSONPath, right: JSONPath) -> Bool {
        left.rawValue.utf8.elementsEqual(right.rawValue.utf8)
    }

    /// The text of the path, without quotes.
    public var description: String { rawValue }
}
