// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The way to a value inside a JSON object: keys separated by dots, as index specs and query specs write it.
///
/// There is no escape and there are no subscripts: a key that contains a dot cannot be addressed, and an array on the
/// way is traversed (each element is followed, and what is found is collected; SmartStore specification 2.4).
public struct JSONPath: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
    public init(_ text: String) { self.rawValue = text }
    public init(stringLiteral value: String) { self.rawValue = value }

    /// The keys, outermost first; none for the empty path, which means the whole value.
    public var keys: [String] {
        rawValue.isEmpty ? [] : rawValue.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }

    public var description: String { rawValue }
}
