// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import SoupCore

/// How the text of `full_text` indexes is searched, as
/// `"fullText": {"tokenizer": "porter unicode61", "prefixes": [2, 3]}` in the `backend` object of `userstore.json` says
/// it.
///
/// A soup keeps the options that it was registered with, until its full-text indexes are altered.
public struct FullTextOptions: Decodable, Sendable, Hashable {
    /// What cuts text into words: a tokenizer of SQLite's FTS5 with its arguments, such as
    /// `unicode61 remove_diacritics 0`, `porter unicode61`, which finds "runs" by "run", or `trigram`, which finds
    /// parts of words.
    ///
    /// Nil: `unicode61`, which ignores case and most diacritics.
    public var tokenizer: String?
    /// The lengths, in characters, of beginnings of words that are kept, so that `jo*` need not look at every word.
    public var prefixes: [Int]

    /// Makes options; a tokenizer that SQLite does not know is refused when the store is opened.
    public init(tokenizer: String? = nil, prefixes: [Int] = []) {
        self.tokenizer = tokenizer
        self.prefixes = prefixes
    }

    private enum CodingKeys: CodingKey {
        case tokenizer, prefixes
    }

    /// Reads the keys named like the properties; each may be left out.
    ///
    /// - Throws: `SoupError` with the place of a tokenizer or a length that SQLite does not have.
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
                    .badConfiguration, "\(length) is no length of a beginning",
                    place: Place(path: "prefixes[\(position)]"), hint: "Write a number of characters from 1 to 999."))
        }
        try faults.finish()
        self.init(tokenizer: tokenizer, prefixes: prefixes)
    }

    /// Those of FTS5.
    private static let tokenizers = ["unicode61", "ascii", "porter", "trigram"]

    /// What goes behind the columns of a search index.
    var clauses: String {
        (tokenizer.map { ", tokenize=\(SmartSQL.literal($0))" } ?? "")
            + (prefixes.isEmpty
                ? "" : ", prefix=\(SmartSQL.literal(prefixes.map(String.init).joined(separator: " ")))")
    }

    /// Makes a search index that nobody sees, and takes it away again.
    ///
    /// - Throws: ``SoupError`` with `badConfiguration` for what SQLite does not take.
    func check(in db: Database) throws {
        guard self != FullTextOptions() else { return }
        do {
            try db.execute(sql: "CREATE VIRTUAL TABLE temp.full_text_options USING fts5(text\(clauses))")
            try db.execute(sql: "DROP TABLE temp.full_text_options")
        } catch let error as DatabaseError {
            throw SoupError(
                .badConfiguration, "full text cannot be kept so: \(error.message ?? "\(error)")",
                place: Place(path: "backend.fullText"),
                hint:
                    "tokenizer is unicode61, ascii, porter or trigram with arguments, prefixes are numbers from 1 to 999"
            )
        }
    }
}
