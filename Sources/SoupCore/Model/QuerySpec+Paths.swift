// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The checks of a query that is not Smart SQL, for errors that every backend refuses.
extension QuerySpec {
    /// Checks the parts that can be checked without the soup.
    ///
    /// - Returns: the soup of the query.
    /// - Throws: ``SoupError``: `whereArgsNotSupported`; `badQuerySpec` for a query without a soup or without a path to
    ///   select, for an order by rank in a query that is not a match query, and for an invalid path (see
    ///   ``JSONPath/isValid``). The place names the key of the spec.
    @discardableResult
    public func requireForm(arguments: [JSONValue] = []) throws -> SoupName {
        guard arguments.isEmpty else {
            throw SoupError(
                .whereArgsNotSupported, "arguments can only be provided for smart queries",
                hint: "Remove the arguments, or query with Smart SQL.")
        }
        guard let soup else {
            throw SoupError(.badQuerySpec, "the query names no soup", hint: "Set the soup of the query.")
        }
        guard selectPaths?.isEmpty != true else {
            throw SoupError(
                .badQuerySpec, "selectPaths must have at least one path", place: SoupError.Place(path: "selectPaths"),
                hint: "Add a path, or remove selectPaths to select whole entries.")
        }
        guard isRanked || orderPath?.rawValue != EntryField.rank else {
            throw SoupError(
                .badQuerySpec, "only a match query can be ordered by rank", place: SoupError.Place(path: "orderPath"),
                hint: "Use another order path, or a match query.")
        }
        try requireValidPaths()
        return soup
    }

    /// Checks that no path contains characters that end a reference in Smart SQL.
    func requireValidPaths() throws {
        for (key, path) in paths {
            do throws(SoupError) {
                try path.requireValid()
            } catch {
                var error = error
                error.code = .badQuerySpec
                throw error.at(SoupError.Place(path: key))
            }
        }
    }

    /// Checks that the values at all paths can be read.
    ///
    /// - Parameter indexes: the index specs of the soup.
    /// - Throws: ``SoupError`` with `badQuerySpec` for a path without a column of its own that SQLite's `json_extract`
    ///   cannot read (see ``JSONPath/isExtractable``); the place names the key of the spec.
    public func requireReadablePaths(in indexes: [IndexSpec]) throws {
        for (key, path) in paths where !path.isExtractable {
            guard !(isRanked && key == "orderPath") else { continue }
            guard !indexes.contains(where: { $0.path == path && $0.kind != .json1 }) else { continue }
            throw SoupError(
                .badQuerySpec,
                "\(JSONEscapes.quoted(path.rawValue)) has no index of its own, and cannot be read from the entries",
                place: SoupError.Place(path: key),
                hint: "Write keys with dots between them, none of them empty, or index the path as string, integer, "
                    + "floating or full_text.")
        }
    }

    /// The paths of the query, with their keys in the spec.
    private var paths: [(key: String, path: JSONPath)] {
        var paths: [(key: String, path: JSONPath)] = []
        switch kind {
        case .exact(let path, _), .range(let path, _, _), .like(let path, _): paths.append(("indexPath", path))
        case .match(let path, _): if let path { paths.append(("indexPath", path)) }
        case .all, .smart: break
        }
        for (index, path) in (selectPaths ?? []).enumerated() { paths.append(("selectPaths[\(index)]", path)) }
        if let orderPath { paths.append(("orderPath", orderPath)) }
        return paths
    }
}
