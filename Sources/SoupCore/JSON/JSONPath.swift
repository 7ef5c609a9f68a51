// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The path to a value inside a JSON object: keys separated by dots, as in index specs and query specs.
///
/// There are no escapes and no subscripts: the text of a path cannot address a key that contains a dot. An array on the
/// path is traversed: the rest of the path is followed in each element, and the results are collected.
public struct JSONPath: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The keys with dots between them; another form for a path whose keys contain dots.
    public let rawValue: String

    /// Creates a path as ``init(_:)`` does; every text is accepted.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Creates a path from its text; the empty path leads to the whole value.
    public init(_ text: String) { self.rawValue = text }
    /// Creates a path from a literal such as `"address.city"`.
    public init(stringLiteral value: String) { self.rawValue = value }

    /// Creates a path from its keys, which may contain dots, for values outside of stores.
    package init(keys: [String]) {
        let isPlain = !keys.contains { $0.utf8.contains(UInt8(ascii: ".")) }
        rawValue = isPlain ? keys.joined(separator: ".") : Self.mark + keys.joined(separator: Self.mark)
    }

    /// The separator of keys with dots, which is also the first character of such a path.
    private static let mark = "\u{1F}"

    /// The keys, outermost first; none for the empty path, which means the whole value.
    public var keys: [String] {
        // A dot is a separator even before a combining mark, as in SQLite and in the bytes of a record.
        let (text, separator) =
            rawValue.utf8.first == 0x1F ? (rawValue.utf8.dropFirst(), 0x1F) : (rawValue.utf8[...], UInt8(ascii: "."))
        return text.isEmpty
            ? [] : text.split(separator: separator, omittingEmptySubsequences: false).map { String(Substring($0)) }
    }

    /// Compares the bytes of the paths, as keys are compared in the bytes of a record.
    ///
    /// A composed letter differs from a decomposed one.
    public static func == (left: JSONPath, right: JSONPath) -> Bool {
        left.rawValue.utf8.elementsEqual(right.rawValue.utf8)
    }

    /// The text of the path, without quotes.
    public var description: String { rawValue.utf8.first == 0x1F ? keys.joined(separator: ".") : rawValue }
}
