// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension StoreReader {
    /// Returns an entry that must exist and be readable.
    ///
    /// - Throws: ``SoupError`` with `entryNotFound` or `entryDamaged`.
    package func entry(_ id: Int64, of soup: SoupName) throws -> SoupEntry {
        guard let entry = try retrieve([id], from: soup).first else {
            throw SoupError(
                .entryNotFound, "soup \"\(soup)\" has no entry \(id)",
                hint:
                    "List its entries with `soup query 'select {\(soup):_soupEntryId} from {\(soup)}'`, or with query(_:)."
            )
        }
        if let damage = entry.damage(in: soup) { throw damage }
        return entry
    }
}

extension SoupError.Code {
    /// The soup has no entry with that ID.
    public static let entryNotFound: Self = "entryNotFound"
}
