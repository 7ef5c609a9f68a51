// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A rewriter that adds fields to the text of a search, and keeps the rest of the text unchanged.
package struct SOSLRewriter: Sendable {
    /// The current text of the search.
    package private(set) var text: String
    /// The current search as a tree.
    package private(set) var search: SOSLQuery

    /// Parses the search.
    ///
    /// - Throws: ``SoupError`` with `sosl`; its place is the line and column of the unexpected text.
    package init(_ text: String) throws {
        self.text = text
        search = try SOSLQuery(parsing: text)
    }

    /// Returns the search with these fields for every object that it returns.
    ///
    /// Missing fields are inserted before the existing ones; case is ignored. A search that names no objects is
    /// unchanged.
    package func selecting(_ fields: [String]) -> SOSLRewriter {
        var bytes = Array(text.utf8)
        // From the end to the beginning, so that earlier offsets stay valid.
        for object in search.returning.reversed() {
            let missing = fields.filter { field in
                !object.items.contains { item in
                    if case .path(let path, _) = item { path.matches(field) } else { false }
                }
            }
            guard !missing.isEmpty, let offset = object.position.offset else { continue }
            let list = missing.joined(separator: ",")
            let end = offset + object.name.utf8.count
            if object.items.isEmpty {
                bytes.insert(contentsOf: "(\(list))".utf8, at: end)
            } else if let open = bytes[end...].firstIndex(of: UInt8(ascii: "(")) {
                bytes.insert(contentsOf: "\(list),".utf8, at: open + 1)
            }
        }
        // The text still parses, because only names were added to lists of names.
        return (try? SOSLRewriter(String(decoding: bytes, as: UTF8.self))) ?? self
    }

    /// Returns whether a response with this number of records may be incomplete, because it reaches a limit of the
    /// search or of the server.
    package func mayBeCut(at count: Int) -> Bool {
        let limits = [search.limit, Self.serverLimit] + search.returning.map(\.limit)
        return limits.contains { $0.map { count >= $0 } ?? false } || search.returning.contains { $0.offset != nil }
    }

    /// The maximum number of records that a server returns for one search.
    private static let serverLimit = 2000
}
