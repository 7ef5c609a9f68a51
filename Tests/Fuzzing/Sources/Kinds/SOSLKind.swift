// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
internal import SoupCore

/// SOSL that is parsed and printed.
struct SOSLKind: FuzzKind {
    let name = "sosl"
    let words = [
        "find ", "{", "}", "{acme}", "\"", "\\", "\\}", "(", ")", " and ", " or ", " not ", "&&", "||", "!", "*", "?",
        " in all fields ", " in name fields ", " in phone fields ", " returning ", "Account", "Contact(Id, Name)", ", ",
        " where ", "Name = 'x'", " and ", " order by Name desc ", " limit 5 ", " offset 2 ", " using ListView=Recent ",
        " with division = 'x' ", " with data category G__c at x__c ", " with snippet(target_length=120) ",
        " update tracking ", "toLabel(Rating) r", "漢", "e\u{301}", "}\u{301}", "'", "-", "\u{A0}",
    ]

    func check(_ input: [UInt8]) async throws -> String {
        let text = String(decoding: input, as: UTF8.self)
        let search: SOSLQuery
        do {
            search = try SOSLQuery(parsing: text)
        } catch let error as SoupError {
            try require(error.code == .sosl, "a search that cannot be read is \(error.code)")
            let lines = Array(text.utf8).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            if let place = error.place {
                guard let line = place.line, let column = place.column, lines.indices.contains(line - 1),
                    (1...lines[line - 1].count + 1).contains(column)
                else { throw Violation("the error has no place inside the text: \(error)") }
            }
            return outline("\(error.code)", error.message) + (error.hint ?? "")
        }
        let printed = search.description
        guard let again = try? SOSLQuery(parsing: printed) else {
            throw Violation("the printed search cannot be read: \(printed)")
        }
        try require(again == search, "printed and read again it differs: \(printed)")
        return "\(search.returning.count) \(search.with.count) \(search.group as Any) \(shape(search.term))"
    }

    private func shape(_ term: SOSLTerm) -> String {
        switch term {
        case .word(let pieces): "w\(min(pieces.count, 4))"
        case .phrase: "p"
        case .and(let terms): "a\(min(terms.count, 3))"
        case .or(let terms): "o\(min(terms.count, 3))"
        case .not: "n"
        }
    }
}
