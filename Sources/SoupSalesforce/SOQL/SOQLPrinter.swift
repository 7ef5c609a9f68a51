// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension SOQLQuery: CustomStringConvertible {
    /// The query in its shortest form, keywords in lower case.
    package var description: String {
        var text = "select \(items.map(\.description).joined(separator: ", ")) from \(source)"
        text += joins.map { ", \($0)" }.joined()
        func add(_ keyword: String, _ part: String?) {
            if let part { text += " \(keyword) \(part)" }
        }
        add("using scope", scope)
        add("where", condition?.description)
        add("with", with)
        add("group by", grouping?.description)
        add("having", having?.description)
        add("order by", order.isEmpty ? nil : order.map(\.description).joined(separator: ", "))
        add("limit", limit.map(String.init))
        add("offset", offset.map(String.init))
        if allRows { text += " all rows" }
        for purpose in purposes { add("for", purpose.rawValue) }
        add("update", tracking.isEmpty ? nil : tracking.joined(separator: ", "))
        return text
    }
}

extension SOQLSelectItem: CustomStringConvertible {
    /// The item as in a select list: an alias after `as`, a child query in parentheses.
    package var description: String {
        switch self {
        case .path(let path, let alias): path.description + (alias.map { " as \($0)" } ?? "")
        case .call(let call, let alias): call.description + (alias.map { " as \($0)" } ?? "")
        case .child(let query): "(\(query))"
        case .typeOf(let typeOf): typeOf.description
        }
    }
}

extension SOQLTypeOf: CustomStringConvertible {
    /// `typeof What when Account then Phone else Name end`, without `else` if it has no fields.
    package var description: String {
        func list(_ paths: [SOQLPath]) -> String { paths.map(\.description).joined(separator: ", ") }
        let branches = branches.map { " when \($0.object) then \(list($0.fields))" }.joined()
        return "typeof \(path)\(branches)\(otherwise.isEmpty ? "" : " else \(list(otherwise))") end"
    }
}

extension SOQLSource: CustomStringConvertible {
    /// `Contact c`: the path, followed by the alias if there is one.
    package var description: String { path.description + (alias.map { " \($0)" } ?? "") }
}

extension SOQLGrouping: CustomStringConvertible {
    /// The keys with commas between them, inside of `rollup(…)` or `cube(…)` for subtotals.
    package var description: String {
        let list = keys.map(\.description).joined(separator: ", ")
        return kind == .plain ? list : "\(kind.rawValue)(\(list))"
    }
}

extension SOQLSortKey: CustomStringConvertible {
    /// `Name desc nulls last`; `asc` is never written, and `nulls` only if it is defined.
    package var description: String {
        key.description + (descending ? " desc" : "") + (nulls.map { " nulls \($0.rawValue)" } ?? "")
    }
}

extension SOQLCall: CustomStringConvertible {
    /// `COUNT(Id)`, with the name in its original case.
    package var description: String { "\(name)(\(arguments.map(\.description).joined(separator: ", ")))" }
}

extension SOQLCall.Argument: CustomStringConvertible {
    /// The path, call or value as SOQL.
    package var description: String {
        switch self {
        case .path(let path): path.description
        case .call(let call): call.description
        case .value(let value): value.description
        }
    }
}

extension SOQLOperand: CustomStringConvertible {
    /// The field or the call as SOQL.
    package var description: String {
        switch self {
        case .path(let path): path.description
        case .call(let call): call.description
        }
    }
}

extension SOQLCondition: CustomStringConvertible {
    /// The condition as SOQL; parentheses are added where a tree that was not parsed would be read differently without
    /// them.
    package var description: String {
        switch self {
        case .and(let terms): Self.joined(terms, separator: " and ") { $0.term }
        case .or(let terms):
            Self.joined(terms, separator: " or ") { if case .or = $0 { "(\($0))" } else { $0.description } }
        case .not(let inner): "not \(inner.term)"
        case .group(let inner): "(\(inner))"
        case .comparison(let comparison): comparison.description
        }
    }

    /// Joins conditions; servers accept `not` after another condition only in parentheses.
    private static func joined(
        _ terms: [SOQLCondition], separator: String, text: (SOQLCondition) -> String
    ) -> String {
        terms.enumerated().map { index, term in
            if index > 0, case .not = term { "(\(term))" } else { text(term) }
        }.joined(separator: separator)
    }

    private var term: String {
        switch self {
        case .and, .or: "(\(self))"
        case .not, .group, .comparison: description
        }
    }
}

extension SOQLComparison: CustomStringConvertible {
    /// `Name = 'x'`, `Id in ('a', 'b')`: operators in lower case, values escaped, `<>` as `!=`.
    package var description: String {
        switch test {
        case .compare(let comparator, let value): "\(operand) \(comparator.rawValue) \(value)"
        case .like(let pattern): "\(operand) like '\(SOQLLiteral.pattern(kept: pattern))'"
        case .isIn(let values, let negated):
            "\(operand) \(negated ? "not in" : "in") (\(values.map(\.description).joined(separator: ", ")))"
        case .isInQuery(let query, let negated): "\(operand) \(negated ? "not in" : "in") (\(query))"
        case .includes(let values, let negated):
            "\(operand) \(negated ? "excludes" : "includes") \(SOQLLiteral.list(values))"
        }
    }
}

extension SOQLValue: CustomStringConvertible {
    /// The literal as SOQL reads it: strings in quotes and escaped, datetimes in UTC with milliseconds.
    package var description: String {
        switch self {
        case .string(let text): SOQLLiteral.string(text)
        case .number(let text), .date(let text), .time(let text): text
        case .currency(let code, let amount): code + amount
        case .bool(let value): value ? "true" : "false"
        case .null: "null"
        case .dateTime(let time): DateText.format(time, zone: "Z")
        case .dateLiteral(let literal): literal.name + (literal.count.map { ":\($0)" } ?? "")
        case .field(let path): path.description
        }
    }
}
