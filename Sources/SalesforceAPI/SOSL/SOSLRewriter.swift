// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Changes the text of a search where it must be changed, and leaves the rest of it to the letter.
public struct SOSLRewriter: Sendable {
    /// The search as it is written now.
    public private(set) var text: String
    /// The same as a tree.
    public private(set) var search: SOSLQuery

    /// - Throws: ``SoupError`` with `sosl`, and the place of what does not fit.
    public init(_ text: String) throws {
        self.text = text
        search = try SOSLQuery(parsing: text)
    }

    /// The search with these fields for every object that it returns.
    ///
    /// What an object lacks is put in front of its fields; case does not count. A search that leaves its objects to the
    /// server stays as it is.
    public func selecting(_ fields: [String]) -> SOSLRewriter {
        var bytes = Array(text.utf8)
        // From the end on, so that what was found in front of it stays where it is.
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
        // What was a search is one still: names were put into lists of names.
        return (try? SOSLRewriter(String(decoding: bytes, as: UTF8.self))) ?? self
    }

    /// Whether an answer of so many records may lack further ones that have the term: it reaches a limit of the search,
    /// or the one that servers have.
    public func mayBeCut(at count: Int) -> Bool {
        let limits = [search.limit, Self.serverLimit] + search.returning.map(\.limit)
        return limits.contains { $0.map { count >= $0 } ?? false } || search.returning.contains { $0.offset != nil }
    }

    /// The most records that a server returns for one search.
    private static let serverLimit = 2000
}
