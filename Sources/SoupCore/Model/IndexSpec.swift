// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A path of a soup that queries can use, and how its values are kept.
public struct IndexSpec: Sendable, Hashable, Codable, CustomStringConvertible {
    /// How the values of a path are kept.
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// Text; booleans as `true` and `false`, arrays and objects as JSON text.
        case string
        /// Whole numbers.
        case integer
        /// Floating-point numbers.
        case floating
        /// Text that match queries search; not for comparisons.
        case fullText = "full_text"
        /// Whatever SQLite's `json_extract` gives; arrays are not traversed.
        case json1
    }

    /// Leads to the value that is kept; an entry that has none there is kept with null.
    public var path: JSONPath
    /// Decides how values are converted, compared and searched.
    public var kind: Kind

    /// Makes a spec; whether the path can be indexed is the backend's to say.
    public init(_ path: JSONPath, _ kind: Kind) {
        self.path = path
        self.kind = kind
    }

    /// Path and kind, such as `address.city full_text`.
    public var description: String { "\(path) \(kind.rawValue)" }

    private enum CodingKeys: String, CodingKey {
        case path
        case kind = "type"
    }

    /// Reads `path` and `type`, as in store configurations; other keys are ignored.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            JSONPath(try container.decode(String.self, forKey: .path)), try container.decode(Kind.self, forKey: .kind))
    }

    /// Writes `path`, and the raw value of the kind as `type`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(path.rawValue, forKey: .path)
        try container.encode(kind, forKey: .kind)
    }
}
