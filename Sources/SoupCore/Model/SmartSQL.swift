// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A Smart SQL query, taken apart: SQL with references to soups in braces.
///
/// `select {contacts:Name} from {contacts} where {contacts:address.city} = ?`
///
/// The text is read by a tokenizer, so that braces in literals, comments and quoted names stay what they are. Only one
/// SELECT, or a WITH that ends in one, gets through. What a reference stands for is the backend's to say. Taking a
/// text apart costs one pass over it; keep the result.
public struct SmartSQL: Sendable, Hashable {
    /// The query as it was written.
    public let text: String
    /// The parts of the text, in order; written one after another they are the text again.
    public let pieces: [Piece]

    /// Reads a query.
    ///
    /// - Throws: ``SoupError`` with `onlySelect`, with `badReference`, or with `sql` for a quote or a comment that does
    ///   not close; its place has the line and the column of the fault, and an excerpt.
    public init(_ text: String) throws {
        self.text = text
        var parser = SmartSQLParser(text)
        do { self.pieces = try parser.parse() } catch let fault as SmartSQLFault { throw fault.error(in: text) }
    }

    /// A query of pieces that are known already: no text in them is read.
    public init(pieces: [Piece]) {
        self.pieces = pieces
        text = pieces.map(\.source).joined()
    }

    /// Reads the search text of a match query, in which only references have a meaning.
    ///
    /// - Throws: ``SoupError`` with `badReference`.
    public init(matchKey: String) throws {
        self.text = matchKey
        do {
            self.pieces = try SmartSQLParser.references(in: matchKey, from: 0)
        } catch let fault as SmartSQLFault {
            throw fault.error(in: matchKey)
        }
    }

    /// The place of a byte of the text, counted from 1 over all its lines as ``Reference/column`` does.
    public func place(ofByte column: Int) -> Place { Place(offset: max(0, column - 1), quoting: text) }

    /// A part of a query.
    public enum Piece: Sendable, Hashable {
        /// SQL that is taken as it is.
        case text(String)
        case reference(Reference)
        /// A literal that is compared with a local flag of an entry, and the truth that it spells.
        case flag(literal: String, value: Bool, reference: Reference)
        /// A parameter that is compared with a local flag; `ordinal` counts the `?` of the query from 0.
        case flagParameter(String, ordinal: Int, reference: Reference)

        /// The part as it was written.
        public var source: String {
            switch self {
            case .text(let text): text
            case .flag(let literal, _, _): literal
            case .flagParameter(let text, _, _): text
            case .reference(let reference):
                switch reference.qualifier {
                case .name(let name)?: "\(name).\(reference.source)"
                case .soup(let soup, _)?: "{\(soup)}.\(reference.source)"
                case nil: reference.source
                }
            }
        }
    }

    /// `{soup}` or `{soup:path}`.
    public struct Reference: Sendable, Hashable {
        /// The name between the braces; that there is such a soup is not known here.
        public var soup: SoupName
        /// Nil when the soup itself is meant.
        public var path: JSONPath?
        /// What stands before it with a dot: the table alias in `e.{contacts:Name}`.
        public var qualifier: Qualifier?
        /// Whether it stands inside the literal of a MATCH, where it means the column to search.
        public var isInMatchKey = false
        /// Where it begins in the text, counted in bytes from 1 over all lines; see ``SmartSQL/place(ofByte:)``.
        public var column: Int

        /// A reference that is not in a text yet.
        ///
        /// - Parameter path: nil when the soup itself is meant.
        public init(soup: SoupName, path: JSONPath?, column: Int) {
            self.soup = soup
            self.path = path
            self.column = column
        }

        /// The reference as it was written, without the qualifier.
        public var source: String { "{\(soup)" + (path.map { ":\($0)" } ?? "") + "}" }
    }

    /// What stands before a reference with a dot.
    public enum Qualifier: Sendable, Hashable {
        /// An alias or a table, as it was written.
        case name(String)
        /// `{soup}.{soup:path}`.
        case soup(SoupName, column: Int)
    }
}
