// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The upserts with the types in the developer guide.
///
/// Code with `[[String: Any]]`, including literals, uses the typed forms. These methods are for values of type `[Any]`
/// or `[[AnyHashable: Any]]`, such as the result of `JSONSerialization`.
extension SmartStore {
    /// Writes entries; as `upsert(entries:forSoupNamed:)` with dictionaries of strings.
    ///
    /// - Throws: also ``SoupError`` with `json` for a key that is not a string.
    @_disfavoredOverload
    @discardableResult
    public func upsert(
        entries: [[AnyHashable: Any]], forSoupNamed name: String
    ) throws -> [[AnyHashable: Any]] {
        try upsert(objects: entries, into: name, externalIdPath: nil)
    }

    /// Writes entries by an external ID; as ``upsert(entries:forSoupNamed:withExternalIdPath:)`` with dictionaries.
    ///
    /// - Returns: the entries as they are stored now, each `[String: Any]`, in order.
    /// - Throws: also ``SoupError`` with `json` for an element that is not a dictionary with string keys.
    @_disfavoredOverload
    @discardableResult
    public func upsert(
        entries: [Any], forSoupNamed name: String, withExternalIdPath path: String
    ) throws -> [Any] {
        try upsert(objects: entries, into: name, externalIdPath: path)
    }

    /// Writes entries; as `upsert(entries:forSoupNamed:)` with dictionaries.
    ///
    /// - Returns: the entries as they are stored now, each `[String: Any]`, in order.
    /// - Throws: also ``SoupError`` with `json` for an element that is not a dictionary with string keys.
    @_disfavoredOverload
    @discardableResult
    public func upsert(entries: [Any], forSoupNamed name: String) throws -> [Any] {
        try upsert(objects: entries, into: name, externalIdPath: nil)
    }

    private func upsert(
        objects: [Any], into name: String, externalIdPath path: String?
    ) throws -> [[String: Any]] {
        let entries = try objects.enumerated().map { index, object in
            guard let entry = object as? [String: Any] else {
                throw SoupError(
                    .json, "an entry is a dictionary with string keys, not a value of type \(type(of: object))",
                    place: SoupError.Place(path: "entries[\(index)]"), hint: "Pass each entry as [String: Any].")
            }
            return entry
        }
        return try path.map { try upsert(entries: entries, forSoupNamed: name, withExternalIdPath: $0) }
            ?? upsert(entries: entries, forSoupNamed: name)
    }
}
