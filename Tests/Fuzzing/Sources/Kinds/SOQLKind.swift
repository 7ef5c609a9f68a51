// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
internal import SoupCore

/// SOQL that is parsed, printed and rewritten.
struct SOQLKind: FuzzKind {
    let name = "soql"
    let words = [
        "select ", "from ", "where ", "Id", "Name", "Account", "(select Id from Contacts)", "count()", "count(Id) n",
        "and ", "or ", "not ", "in ", "('a','b')", "like ", "'%a\\%'", "= null", "!= true", "<= 5", "> -1.5",
        "USD50.25",
        "2024-01-31", "2024-01-31T10:20:30.000Z", "10:20:30Z", "LAST_N_DAYS:30", "TODAY", "includes ", "excludes ",
        "group by ", "rollup(", "having ", "order by ", "desc ", "nulls last ", "limit 5 ", "offset 2 ", "for view ",
        "update tracking ", "using scope mine ", "with SECURITY_ENFORCED ", "with data category G__c at x__c ",
        "fields(all)", "typeof What when Account then Phone else Name end", "all rows ", "(", ")", ",", "'", "\\'",
        "\\u00e9",
        ".", ":", "c.", " c ", "\u{A0}", "\u{2028}", "DISTANCE(Loc__c, GEOLOCATION(1,2), 'mi')", "<>", "~",
    ]

    private static let keywords: Set = [
        "where", "and", "or", "not", "in", "like", "includes", "excludes", "group", "rollup", "having", "order", "desc",
        "nulls", "limit", "offset", "for", "update", "using", "with", "typeof", "else", "all", "null", "true", "as",
    ]

    func check(_ input: [UInt8]) async throws -> String {
        let text = String(decoding: input, as: UTF8.self)
        let pieces = SOQLPieces.split(text).joined()
        try require(withoutSpace(pieces) == withoutSpace(text), "pieces are missing: \(pieces)")
        _ = try? SOQLCondition(parsing: text, fieldValues: true)
        let query: SOQLQuery
        do {
            query = try SOQLQuery(parsing: text)
        } catch let error as SoupError {
            try require(error.code == .soql, "a query that cannot be read is \(error.code)")
            try requirePlace(error, in: input, of: text)
            return outline("\(error.code)", error.message) + (error.hint ?? "")
        }
        let printed = query.description
        let again = try parsed(printed, "the printed query")
        try require(again == query, "printed and read again it differs: \(printed)")
        try checkRewriting(text, query)
        // The keywords of the query describe the result.
        let words = Set(printed.lowercased().split { !$0.isLetter }.map(String.init)).intersection(Self.keywords)
        return "\(query.items.count) \(words.sorted())"
    }

    private func checkRewriting(_ text: String, _ query: SOQLQuery) throws {
        let rewriter = try SOQLRewriter(text)
        try require(rewriter.text == text, "an unchanged query changed")
        let completed = rewriter.completed(idField: "Id", modificationDateField: "LastModifiedDate")
        let twice = try SOQLRewriter(completed.text).completed(idField: "Id", modificationDateField: "LastModifiedDate")
        try require(twice.text == completed.text, "completed twice it differs: \(twice.text)")
        let ids = try parsed(rewriter.remoteIds(idField: "Id").text, "the query for ids")
        try require(ids.condition == query.condition, "the query for ids has another condition")
        let narrowed = try parsed(rewriter.adding(condition: "X = 1 or Y = 2").text, "the narrowed query")
        let added = try SOQLCondition(parsing: "X = 1 or Y = 2")
        switch (query.condition, narrowed.condition) {
        case (nil, let condition): try require(condition == added, "the condition is \(narrowed)")
        case (_?, .and(let terms)?): try require(terms.first?.ungrouped == added, "the condition is \(narrowed)")
        default: throw Violation("the added condition does not apply to the whole query: \(narrowed)")
        }
        try require(try parsed(rewriter.unlimited.text, "the query without limit").limit == nil, "a limit remained")
    }

    private func parsed(_ text: String, _ name: String) throws -> SOQLQuery {
        do {
            return try SOQLQuery(parsing: text)
        } catch {
            throw Violation("\(name) cannot be read: \(error) in \(text)")
        }
    }

    private func requirePlace(_ error: SoupError, in input: [UInt8], of text: String) throws {
        let lines = Array(text.utf8).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard let line = error.place?.line, let column = error.place?.column, lines.indices.contains(line - 1),
            (1...lines[line - 1].count + 1).contains(column)
        else { throw Violation("the error has no place inside the text: \(error)") }
    }

    /// Returns the text without white space, because the printed query has other white space.
    private func withoutSpace(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { !$0.properties.isWhitespace }))
    }
}
