// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A parsed Smart SQL query: SQL with references to soups in braces.
///
/// `select {contacts:Name} from {contacts} where {contacts:address.city} = ?`
///
/// A tokenizer reads the text, so that braces in literals, comments and quoted names stay unchanged. Only one SELECT,
/// or a WITH that ends in one, is accepted. The backend decides the meaning of a reference. Parsing a text costs one
/// pass over it; keep the result.
public struct SmartSQL: Sendable, Hashable {
    /// The query as written.
    public let text: String
    /// The parts of the text, in order; joined, they are the text again.
    public let pieces: [Piece]

    /// Reads a query.
    ///
    /// - Throws: ``SoupError`` with `onlySelect`, with `badReference`, or with `sql` for a quote or a comment that is
    ///   not closed; its place has the line and the column of the fault, and an excerpt.
    public init(_ text: String) throws {
        self.text = text
        var parser = SmartSQLParser(text)
        do { self.pieces = try parser.parse() } catch let fault as SmartSQLFault { throw fault.error(in: text) }
    }

    /// Creates a query from known pieces; the text in them is not parsed.
    public init(pieces: [Piece]) {
        self.pieces = pieces
        text = pieces.map(\.source).joined()
    }

    /// Reads the search text of a match query, in which only references are parsed.
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

    /// Returns the place of a byte of the text, counted from 1 over all its lines as ``Reference/column``.
    public func place(ofByte column: Int) -> SoupError.Place {
        SoupError.Place(offset: max(0, column - 1), quoting: text)
    }

    /// A part of a query.
    public enum Piece: Sendable, Hashable {
        /// SQL that is used unchanged.
        case text(String)
        case reference(Reference)
        /// A literal that is compared with a local flag of an entry, and its boolean value.
        case flag(literal: String, value: Bool, reference: Reference)
        /// A parameter that is compared with a local flag; `ordinal` counts the `?` of the query from 0.
        case flagParameter(String, ordinal: Int, reference: Reference)

        /// The part as written.
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
        /// The name between the braces; it is not checked here whether the soup exists.
        public var soup: SoupName
        /// The path; nil for the soup itself.
        public var path: JSONPath?
        /// The qualifier before the dot: the table alias in `e.{contacts:Name}`.
        public var qualifier: Qualifier?
        /// Whether it is inside the literal of a MATCH, where it means the column to search.
        public var isInMatchKey = false
        /// The position of its start in the text, counted in bytes from 1 over all lines; see
        /// ``SmartSQL/place(ofByte:)``.
        public var column: Int

        /// Creates a reference that is not in a text yet.
        ///
        /// - Parameter path: nil for the soup itself.
        public init(soup: SoupName, path: JSONPath?, column: Int) {
            self.soup = soup
            self.path = path
            self.column = column
        }

        /// The reference as written, without the qualifier.
        public var source: String { "{\(soup)" + (path.map { ":\($0.rawValue)" } ?? "") + "}" }
    }

    /// The qualifier before the dot of a reference.
    public enum Qualifier: Sendable, Hashable {
        /// An alias or a table, as written.
        case name(String)
        /// `{soup}.{soup:path}`.
        case soup(SoupName, column: Int)
    }
}
