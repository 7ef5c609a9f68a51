// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The kinds of queries with keys, beside `all`, `exact` and `smart`.
extension QuerySpec {
    /// The entries whose value at `path` lies between two keys, both included; nil leaves an end open.
    public static func range(
        _ soup: SoupName, _ path: JSONPath, from begin: JSONValue? = nil, to end: JSONValue? = nil,
        orderedBy orderPath: JSONPath? = nil, _ order: Order = .ascending, selecting selectPaths: [JSONPath]? = nil,
        pageSize: Int = 10
    ) -> QuerySpec {
        QuerySpec(
            .range(path: path, begin: begin, end: end), soup: soup, selectPaths: selectPaths, orderPath: orderPath,
            order: order, pageSize: pageSize)
    }

    /// The entries whose value at `path` is like `key`: `%` stands for any text, `_` for one character.
    public static func like(
        _ soup: SoupName, _ path: JSONPath, _ key: String, orderedBy orderPath: JSONPath? = nil,
        _ order: Order = .ascending, selecting selectPaths: [JSONPath]? = nil, pageSize: Int = 10
    ) -> QuerySpec {
        QuerySpec(
            .like(path: path, key: key), soup: soup, selectPaths: selectPaths, orderPath: orderPath, order: order,
            pageSize: pageSize)
    }

    /// The entries in whose full text a search expression finds something.
    ///
    /// - Parameters:
    ///   - path: a `full_text` index; nil searches all of the soup.
    ///   - key: an expression with `AND`, `OR`, `NOT`, `"phrases"` and `beginnings*`. What a user typed is none: give
    ///     it as `text` to the form that takes that.
    ///   - orderPath: ``EntryField/rank`` for the best first.
    public static func match(
        _ soup: SoupName, _ path: JSONPath?, _ key: String, orderedBy orderPath: JSONPath? = nil,
        _ order: Order = .ascending, selecting selectPaths: [JSONPath]? = nil, pageSize: Int = 10
    ) -> QuerySpec {
        QuerySpec(
            .match(path: path, key: key), soup: soup, selectPaths: selectPaths, orderPath: orderPath, order: order,
            pageSize: pageSize)
    }

    /// The entries in whose full text all words of a text are found, whatever a user typed.
    ///
    /// Nothing in the text is an operator, and a text without a word finds nothing.
    ///
    /// - Parameter lastWordGoesOn: whether the last word may be the beginning of one, as while somebody types.
    public static func match(
        _ soup: SoupName, _ path: JSONPath?, text: String, lastWordGoesOn: Bool = true,
        orderedBy orderPath: JSONPath? = nil, _ order: Order = .ascending, selecting selectPaths: [JSONPath]? = nil,
        pageSize: Int = 10
    ) -> QuerySpec {
        match(
            soup, path, searchKey(for: text, lastWordGoesOn: lastWordGoesOn), orderedBy: orderPath, order,
            selecting: selectPaths, pageSize: pageSize)
    }

    /// The search expression that finds all words of a text: `"O'Neil" "so-up"*`.
    public static func searchKey(for text: String, lastWordGoesOn: Bool = true) -> String {
        // By scalars, as SQLite reads it; braces would name soups.
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
        return phrases.joined(separator: " ") + (lastWordGoesOn ? "*" : "")
    }
}
