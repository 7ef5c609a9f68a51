// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension FetchedLevel {
    /// Checks that the index of the IDs distinguishes these IDs from all others.
    ///
    /// An index of numbers stores texts that look like numbers as numbers: `007` and `7` would be one entry.
    ///
    /// - Throws: ``SoupError`` with `notUnique`; then no record of the page may be saved.
    func requireDistinctIds(in reader: any StoreReader) throws {
        let specs = try reader.indexSpecs(of: layout.soup)
        guard let kind = specs.first(where: { $0.path == JSONPath(layout.idField) })?.kind,
            kind == .integer || kind == .floating
        else { return }
        for record in records {
            guard let id = id(of: record), !Self.isDistinct(id.value, in: kind) else { continue }
            throw SoupError(
                .notUnique,
                "the index \"\(layout.idField)\" of the soup \"\(layout.soup)\" has the type \(kind.rawValue), which "
                    + "cannot distinguish the ID \(id.description.excerpt(100)) from others with the same number",
                hint: "Change the type of the index to string, and alter the soup.")
        }
    }

    /// Returns whether an index stores no other ID as the same value.
    static func isDistinct(_ id: JSONValue, in kind: IndexSpec.Kind) -> Bool {
        guard kind == .integer || kind == .floating else { return true }
        // The store rejects a value that cannot be an ID; a fraction is one that it accepts.
        guard let text = id.idText else { return id.doubleValue == nil }
        guard let integer = Int64(text), String(integer) == text else { return !isNumber(text) }
        return kind == .integer || integer.magnitude <= 1 << 53
    }

    /// Returns whether SQLite converts a text to a number in a column of numbers.
    private static func isNumber(_ text: String) -> Bool {
        let trimmed = text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed()
        return trimmed.allSatisfy("0123456789+-.eE".contains) && Double(String(trimmed)) != nil
    }
}
