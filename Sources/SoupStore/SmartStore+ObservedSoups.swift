// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension SmartStore {
    /// Returns the soups that a live query reads.
    ///
    /// - Throws: ``SoupError`` with `badQuerySpec` if their changes cannot be observed; for Smart SQL also the errors
    ///   of its parser and of the store.
    func soups(observedBy spec: QuerySpec) async throws -> Set<SoupName> {
        guard case .smart(let text) = spec.kind else { return spec.soup.map { [$0] } ?? [] }
        let query = try SmartSQL(text)
        let names = query.names
        if let list = names.first(where: { Self.soupLists.contains($0.text.lowercased()) }) {
            throw SoupError(
                .badQuerySpec, "a live query cannot read \(list.text), because its changes are not observed",
                place: query.place(ofByte: list.column), hint: "Read it with rows(matching:) instead.")
        }
        let soups = query.soups.union(try await tables(Set(names.compactMap(Self.tableNumber))))
        guard !soups.isEmpty else {
            throw SoupError(
                .badQuerySpec, "a live query must name its soups in braces",
                hint: "Write {contacts} for the soup \"contacts\".")
        }
        return soups
    }

    /// The tables in which the store lists its soups.
    private static let soupLists: Set<String> = [
        "soup_attrs", "soup_index_map", "long_operations_status", "sqlite_master", "sqlite_schema", "sqlite_sequence",
    ]

    /// Returns the number in a table name such as `TABLE_1` or `TABLE_1_fts`, compared without case.
    ///
    /// Nil for other names, including those of columns.
    private static func tableNumber(_ name: SmartSQL.Name) -> Int64? {
        let parts = name.text.lowercased().split(separator: "_", omittingEmptySubsequences: false)
        guard parts.count == 2 || (parts.count == 3 && parts[2] == "fts"), parts[0] == "table" else { return nil }
        return Int64(parts[1])
    }

    /// Returns the soups whose tables have these numbers; for a number without a soup the query itself fails.
    private func tables(_ numbers: Set<Int64>) async throws -> [SoupName] {
        if numbers.isEmpty { return [] }
        return try await rows("select id, soupName from soup_attrs").compactMap { row in
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
