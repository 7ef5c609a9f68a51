// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension RoutedParts {
    /// Returns the position of the store that answers a query.
    ///
    /// - Throws: ``SoupError`` with `notSupported` for a query over soups of several stores.
    func place(of spec: QuerySpec) throws -> Int {
        if case .smart(let text) = spec.kind { return try place(ofSmartSQL: text) }
        // The main store reports a query without a soup.
        return spec.soup.map { place(of: $0) } ?? 0
    }

    /// Returns the position of the store of the soups that a Smart SQL text names; the main store if there are none.
    ///
    /// - Throws: ``SoupError`` with `notSupported` for soups of several stores.
    func place(ofSmartSQL text: String) throws -> Int {
        // The main store reports a text that cannot be read.
        guard stores.count > 1, let query = try? SmartSQL(text) else { return 0 }
        let soups = Set(query.pieces.flatMap(\.soups))
        let places = Dictionary(grouping: soups.sorted(), by: place(of:))
        guard places.count > 1 else { return places.keys.first ?? 0 }
        let list = places.sorted { $0.key < $1.key }.map { place, soups in
            "\(soups.map { "\"\($0)\"" }.joined(separator: ", ")) in \(stores[place].title)"
        }
        throw SoupError(
            .notSupported, "a query cannot read soups of several stores: \(list.joined(separator: "; "))",
            hint: "Read each soup with a query of its own in one read, or route the soups to the same store.")
    }
}

extension SmartSQL.Piece {
    /// The soups that a piece names.
    fileprivate var soups: [SoupName] {
        switch self {
        case .text: []
        case .reference(let reference), .flag(_, _, let reference), .flagParameter(_, _, let reference):
            if case .soup(let soup, _)? = reference.qualifier { [reference.soup, soup] } else { [reference.soup] }
        }
    }
}
