// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension LiveQuery {
    /// The soups that the query reads.
    ///
    /// - Throws: ``SoupError`` with `badQuerySpec` when their changes cannot be listened to; for Smart SQL what its
    ///   parser and the store throw.
    func soups() async throws -> Set<SoupName> {
        guard case .smart(let text) = spec.kind else { return spec.soup.map { [$0] } ?? [] }
        let query = try SmartSQL(text)
        let names = query.names
        if let list = names.first(where: { Self.lists.contains($0.text.lowercased()) }) {
            throw SoupError(
                .badQuerySpec, "a live query cannot read \(list.text), whose changes are not told",
                place: query.place(ofByte: list.column), hint: "Ask for it with query(_:) when it is needed")
        }
        let soups = query.soups.union(try await tables(Set(names.compactMap(Self.tableNumber))))
        guard !soups.isEmpty else {
            throw SoupError(
                .badQuerySpec, "a live query must name its soups in braces",
                hint: "Write {contacts} for the soup \"contacts\"")
        }
        return soups
    }

    /// The tables that the store keeps of its soups.
    private static let lists: Set<String> = [
        "soup_attrs", "soup_index_map", "long_operations_status", "sqlite_master", "sqlite_schema", "sqlite_sequence",
    ]

    /// The number of the soup that `TABLE_1` and `TABLE_1_fts` are of, whatever their case; nil for other names, those
    /// of columns among them.
    private static func tableNumber(_ name: SmartSQL.Name) -> Int64? {
        let parts = name.text.lowercased().split(separator: "_", omittingEmptySubsequences: false)
        guard parts.count == 2 || (parts.count == 3 && parts[2] == "fts"), parts[0] == "table" else { return nil }
        return Int64(parts[1])
    }

    /// The soups whose tables have these numbers; a number that no soup has is the query's own to refuse.
    private func tables(_ numbers: Set<Int64>) async throws -> [SoupName] {
        if numbers.isEmpty { return [] }
        return try await store.rows("select id, soupName from soup_attrs").compactMap { row in
            guard let number = row[0]?.intValue, numbers.contains(number) else { return nil }
            return row[1]?.stringValue.map { SoupName($0) }
        }
    }
}

extension SmartSQL {
    /// The soups that are named in braces.
    fileprivate var soups: Set<SoupName> {
        var soups: Set<SoupName> = []
        for piece in pieces {
            switch piece {
            case .reference(let reference), .flag(_, _, let reference), .flagParameter(_, _, let reference):
                soups.insert(reference.soup)
                if case .soup(let soup, _)? = reference.qualifier { soups.insert(soup) }
            case .text: break
            }
        }
        return soups
    }
}
