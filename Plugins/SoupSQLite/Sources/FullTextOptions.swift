// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import SoupCore

/// The options of `full_text` indexes.
///
/// `userstore.json` defines them in its `backend` object: `"fullText": {"tokenizer": "porter unicode61", "prefixes":
/// [2, 3]}`. A soup keeps the options that it was registered with, until its full-text indexes are altered.
public struct FullTextOptions: Decodable, Sendable, Hashable {
    /// The tokenizer of SQLite's FTS5, with its arguments, that splits text into words.
    ///
    /// For example `unicode61 remove_diacritics 0`; `porter unicode61`, which finds "runs" for "run"; or `trigram`,
    /// which finds parts of words. Nil means `unicode61`, which ignores case and most diacritics.
    public var tokenizer: String?
    /// The lengths, in characters, of indexed prefixes, so that a search for `jo*` need not scan every word.
    public var prefixes: [Int]

    /// Creates options; a tokenizer that SQLite does not know causes an error when the store is opened.
    public init(tokenizer: String? = nil, prefixes: [Int] = []) {
        self.tokenizer = tokenizer
        self.prefixes = prefixes
    }

    private enum CodingKeys: CodingKey {
        case tokenizer, prefixes
    }

    /// Reads the keys that have the names of the properties; each is optional.
    ///
    /// - Throws: `SoupError` with the place of a tokenizer or a length that SQLite does not support.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let tokenizer = try container.decodeIfPresent(String.self, forKey: .tokenizer)
        let prefixes = try container.decodeIfPresent([Int].self, forKey: .prefixes) ?? []
        var faults = ConfigurationFaults()
        if let tokenizer {
            let name = tokenizer.unicodeScalars.prefix { $0 != " " }
            faults.check(String(name), isOneOf: Self.tokenizers, at: "tokenizer", what: "tokenizer")
        }
        for (position, length) in prefixes.enumerated() where !(1...999).contains(length) {
            faults.add(
                SoupError(
                    .badConfiguration, "\(length) is not a valid prefix length",
                    place: SoupError.Place(path: "prefixes[\(position)]"),
                    hint: "Write a number of characters from 1 to 999."))
        }
        try faults.finish()
        self.init(tokenizer: tokenizer, prefixes: prefixes)
    }

    /// The tokenizers of FTS5.
    private static let tokenizers = ["unicode61", "ascii", "porter", "trigram"]

    /// The options after the columns in the statement that creates a search index.
    var clauses: String {
        (tokenizer.map { ", tokenize=\(SmartSQL.literal($0))" } ?? "")
            + (prefixes.isEmpty
                ? "" : ", prefix=\(SmartSQL.literal(prefixes.map(String.init).joined(separator: " ")))")
    }

    /// Creates a temporary search index to check the options, and removes it.
    ///
    /// - Throws: ``SoupError`` with `badConfiguration` for options that SQLite rejects.
    func check(in db: Database) throws {
        guard self != FullTextOptions() else { return }
        do {
            try db.execute(sql: "CREATE VIRTUAL TABLE temp.full_text_options USING fts5(text\(clauses))")
            try db.execute(sql: "DROP TABLE temp.full_text_options")
        } catch let error as DatabaseError {
            throw SoupError(
                .badConfiguration, "SQLite rejects the full-text options: \(error.message ?? "\(error)")",
                place: SoupError.Place(path: "backend.fullText"),
                hint:
                    "Use the tokenizer unicode61, ascii, porter or trigram with its arguments, and prefixes from 1 to 999."
            )
        }
    }
}
