// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// Range, like and match queries.
extension QuerySpec {
    /// Returns a query for the entries whose value at `path` is in the inclusive range; nil means no limit.
    public static func range(
        _ soup: SoupName, _ path: JSONPath, from begin: JSONValue? = nil, to end: JSONValue? = nil,
        orderedBy orderPath: JSONPath? = nil, order: Order = .ascending, selecting selectPaths: [JSONPath]? = nil,
        pageSize: Int = 10
    ) -> QuerySpec {
        QuerySpec(
            .range(path: path, begin: begin, end: end), soup: soup, selectPaths: selectPaths, orderPath: orderPath,
            order: order, pageSize: pageSize)
    }

    /// Returns a query for the entries whose value at `path` matches a pattern.
    ///
    /// `%` matches any text, `_` one character.
    public static func like(
        _ soup: SoupName, _ path: JSONPath, pattern: String, orderedBy orderPath: JSONPath? = nil,
        order: Order = .ascending, selecting selectPaths: [JSONPath]? = nil, pageSize: Int = 10
    ) -> QuerySpec {
        QuerySpec(
            .like(path: path, key: pattern), soup: soup, selectPaths: selectPaths, orderPath: orderPath, order: order,
            pageSize: pageSize)
    }

    /// Returns a query for the entries whose full text matches a search expression.
    ///
    /// - Parameters:
    ///   - path: a `full_text` index; nil searches all of the soup.
    ///   - expression: words with `AND`, `OR`, `NOT`, `"phrases"` and `prefixes*`. For text that a user typed, use the
    ///     form with `text`.
    ///   - orderPath: ``EntryField/rank`` for the best matches first.
    public static func match(
        _ soup: SoupName, _ path: JSONPath?, expression: String, orderedBy orderPath: JSONPath? = nil,
        order: Order = .ascending, selecting selectPaths: [JSONPath]? = nil, pageSize: Int = 10
    ) -> QuerySpec {
        QuerySpec(
            .match(path: path, key: expression), soup: soup, selectPaths: selectPaths, orderPath: orderPath,
            order: order,
            pageSize: pageSize)
    }

    /// Returns a query for the entries whose full text contains all words of a text, such as user input.
    ///
    /// The text contains no operators, and a text without a word finds nothing.
    ///
    /// - Parameter lastWordIsPrefix: whether the last word may be a prefix, as while the user types.
    public static func match(
        _ soup: SoupName, _ path: JSONPath?, text: String, lastWordIsPrefix: Bool = true,
        orderedBy orderPath: JSONPath? = nil, order: Order = .ascending, selecting selectPaths: [JSONPath]? = nil,
        pageSize: Int = 10
    ) -> QuerySpec {
        match(
            soup, path, expression: searchKey(for: text, lastWordIsPrefix: lastWordIsPrefix), orderedBy: orderPath,
            order: order,
            selecting: selectPaths, pageSize: pageSize)
    }

    /// Returns the search expression for all words of a text: `"O'Neil" "so-up"*`.
    public static func searchKey(for text: String, lastWordIsPrefix: Bool = true) -> String {
        // By scalars, as in SQLite; braces would name soups.
        let words = text.unicodeScalars.split { scalar in
            scalar.properties.isWhitespace || scalar.value < 0x20 || scalar == "{" || scalar == "}"
        }
        let phrases = words.map { word in
            var phrase = "\""
            for scalar in word { phrase.unicodeScalars.append(contentsOf: scalar == "\"" ? ["\"", "\""] : [scalar]) }
            phrase.unicodeScalars.append("\"")
            return phrase
        }
        if phrases.isEmpty { return "\"\"" }
        return phrases.joined(separator: " ") + (lastWordIsPrefix ? "*" : "")
    }
}
