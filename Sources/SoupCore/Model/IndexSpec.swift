// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A path of a soup that queries can use, and the storage of its values.
public struct IndexSpec: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The storage of the values of a path.
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// Text; booleans as `true` and `false`, arrays and objects as JSON text.
        case string
        /// Whole numbers.
        case integer
        /// Floating-point numbers.
        case floating
        /// Text that match queries search; not for comparisons.
        case fullText = "full_text"
        /// The result of SQLite's `json_extract`; arrays are not traversed.
        case json1
    }

    /// The path to the indexed value; an entry without a value there is indexed with null.
    public var path: JSONPath
    /// The kind, which determines the conversion, comparison and search of values.
    public var kind: Kind

    /// Creates a spec; the path is checked when a soup gets the spec, see ``check(_:of:)``.
    public init(_ path: JSONPath, _ kind: Kind) {
        self.path = path
        self.kind = kind
    }

    /// Checks the specs of a soup for errors that every backend refuses.
    ///
    /// - Throws: ``SoupError``: `noIndexSpecs`; `badPath` for a path that no query can name, or that a `json1` index
    ///   cannot read.
    public static func check(_ specs: [IndexSpec], of soup: SoupName) throws {
        try requireAny(specs, of: soup)
        for spec in specs { try spec.check() }
    }

    /// Checks that a soup has an index spec.
    ///
    /// - Throws: ``SoupError`` with `noIndexSpecs`.
    package static func requireAny(_ specs: [IndexSpec], of soup: SoupName) throws {
        guard specs.isEmpty else { return }
        throw SoupError(
            .noIndexSpecs, "soup \"\(soup)\" needs at least one index spec",
            hint: "Add the path of a member that identifies or sorts the entries.")
    }

    /// Checks the path of one spec.
    func check() throws(SoupError) {
        try path.requireValid()
        guard kind != .json1 || path.isExtractable else {
            throw SoupError(
                .badPath, "\(JSONEscapes.quoted(path.rawValue)) cannot be a json1 path",
                hint: "Use another type of index, or a path of keys with dots between them, in which no key is empty.")
        }
    }

    /// The path and the kind, such as `address.city full_text`.
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
