// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce

/// The criterion that a record must meet to be found.
indirect enum SearchCriterion {
    /// Consecutive words in one field.
    case words([[SearchWords.Symbol]])
    case all([SearchCriterion])
    case any([SearchCriterion])
    case none(SearchCriterion)

    /// Creates the criterion of a term; nil for a term without letters and digits.
    ///
    /// - Parameter ignoresOperators: whether all words are required, regardless of the operators between them.
    init?(_ term: SOSLTerm, ignoresOperators: Bool = false) {
        switch term {
        case .word(let pieces):
            let parts = pieces.map { piece -> SearchWords.Part in
                switch piece {
                case .text(let text): .text(text)
                case .anyRun: .wildcard(.anyRun)
                case .anyCharacter: .wildcard(.anyCharacter)
                }
            }
            self.init(words: SearchWords.patterns(of: parts))
        case .phrase(let text): self.init(words: SearchWords.patterns(of: [.text(text)]))
        case .and(let terms): self.init(terms, ignoresOperators: ignoresOperators) { .all($0) }
        case .or(let terms):
            self.init(terms, ignoresOperators: ignoresOperators) { ignoresOperators ? .all($0) : .any($0) }
        case .not(let term):
            guard let inner = SearchCriterion(term, ignoresOperators: ignoresOperators) else { return nil }
            self = ignoresOperators ? inner : .none(inner)
        }
    }

    private init?(words: [[SearchWords.Symbol]]) {
        if words.isEmpty { return nil }
        self = .words(words)
    }

    private init?(
        _ terms: [SOSLTerm], ignoresOperators: Bool, _ combined: ([SearchCriterion]) -> SearchCriterion
    ) {
        let criteria = terms.compactMap { SearchCriterion($0, ignoresOperators: ignoresOperators) }
        if criteria.isEmpty { return nil }
        self = criteria.count == 1 ? criteria[0] : combined(criteria)
    }

    /// The number of required letters and digits, without wildcards and negated terms.
    var length: Int {
        switch self {
        case .words(let words): words.reduce(0) { $0 + $1.count { $0.scalar != nil } }
        case .all(let criteria), .any(let criteria): criteria.reduce(0) { $0 + $1.length }
        case .none: 0
        }
    }

    /// ASCII texts that a record's fields must contain, so that most records need not be examined.
    ///
    /// A field with other characters may contain such a text in another form: "Straße" contains "STRASSE".
    var required: [String] {
        switch self {
        case .words(let words):
            words.compactMap { word in
                let runs = word.split { $0.scalar == nil }.map { run in
                    String(String.UnicodeScalarView(run.compactMap(\.scalar)))
                }
                return runs.filter { $0.utf8.allSatisfy { $0 < 0x80 } }.max { $0.utf8.count < $1.utf8.count }
            }
        case .all(let criteria): criteria.flatMap(\.required)
        case .any, .none: []
        }
    }

    /// Returns whether the fields of a record, each as its words, meet the criterion.
    func holds(in fields: [[SearchWords.Word]]) -> Bool {
        switch self {
        case .words(let patterns): fields.contains { Self.holds(patterns, in: $0) }
        case .all(let criteria): criteria.allSatisfy { $0.holds(in: fields) }
        case .any(let criteria): criteria.contains { $0.holds(in: fields) }
        case .none(let criterion): !criterion.holds(in: fields)
        }
    }

    private static func holds(_ patterns: [[SearchWords.Symbol]], in words: [SearchWords.Word]) -> Bool {
        guard words.count >= patterns.count else { return false }
        return (0...words.count - patterns.count).contains { start in
            patterns.indices.allSatisfy { SearchWords.fits(words[start + $0], patterns[$0]) }
        }
    }
}
