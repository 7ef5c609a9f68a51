// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

package import SoupCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

extension SOQLRewriter {
    /// Returns the query with the ID, the modification date, and an order by the modification date, as a sync needs
    /// them.
    ///
    /// Missing fields are inserted at the front of the select list, the ID first; an existing order is kept. Queries
    /// that group records are returned unchanged.
    package func completed(idField: String, modificationDateField: String) -> SOQLRewriter {
        if clauses[.grouping] != nil { return self }
        var copy = self
        for field in [modificationDateField, idField] where !copy.selects(field) { copy = copy.adding(field: field) }
        return copy.hasOrderBy ? copy : copy.ordered(by: modificationDateField)
    }

    /// Returns the query for records that changed after the mark, or at its exact time if the mark is inclusive.
    package func changed(after mark: HighWaterMark, modificationDateField: String) -> SOQLRewriter {
        adding(
            condition: "\(modificationDateField) \(mark.inclusive ? ">=" : ">") \(SOQLLiteral.dateTime(mark.time))")
    }

    /// Returns the query for the records whose last change is older than a time.
    package func unchanged(since time: Date, modificationDateField: String) -> SOQLRewriter {
        adding(condition: "\(modificationDateField) < \(SOQLLiteral.dateTime(time))")
    }

    /// Returns the query for only the IDs of the same records.
    ///
    /// The order is removed, unless a limit or an offset makes it affect which records are found. Clauses that mark
    /// records as viewed are removed as well.
    package func remoteIds(idField: String) -> SOQLRewriter {
        var copy = replacing(fields: idField)
        if copy.clauses[.limit] == nil, copy.clauses[.offset] == nil { copy = copy.ordered(by: nil) }
        copy.clauses[.purposes] = nil
        copy.clauses[.tracking] = nil
        return copy
    }

    /// The query for the number of the same records.
    package var counting: SOQLRewriter {
        var copy = replacing(fields: "count()").ordered(by: nil)
        copy.clauses[.purposes] = nil
        copy.clauses[.tracking] = nil
        return copy
    }

    /// The query without a limit on the number of records.
    package var unlimited: SOQLRewriter {
        var copy = self
        copy.clauses[.limit] = nil
        copy.clauses[.offset] = nil
        return copy
    }

    /// Adds a condition before those of WHERE; existing ones with an OR at the top level are put in parentheses.
    package func adding(condition: String) -> SOQLRewriter {
        var copy = self
        let added = Self.hasOuterOr(condition) ? "(\(condition))" : condition
        copy.clauses[.condition] =
            clauses[.condition].map { "\(added) and " + (conditionNeedsParentheses ? "(\($0))" : $0) } ?? condition
        copy.conditionNeedsParentheses = clauses[.condition] == nil && Self.hasOuterOr(condition)
        return copy
    }

    /// Adds a field at the front of the select list.
    package func adding(field: String) -> SOQLRewriter {
        var copy = self
        copy.clauses[.select] = clauses[.select].map { "\(field),\($0)" } ?? field
        copy.selected = Self.items(field) + selected
        return copy
    }

    /// Returns the query with these fields, separated by commas, as its select list.
    package func replacing(fields: String) -> SOQLRewriter {
        var copy = self
        copy.clauses[.select] = fields
        copy.selected = Self.items(fields)
        return copy
    }

    /// Returns the query with this order, or with none for nil.
    package func ordered(by keys: String?) -> SOQLRewriter {
        var copy = self
        copy.clauses[.order] = keys
        copy.order = keys.flatMap { try? SOQLQuery(parsing: "select Id from X order by \($0)").order } ?? []
        return copy
    }

    private static func items(_ fields: String) -> [SOQLSelectItem] {
        (try? SOQLQuery(parsing: "select \(fields) from X").items) ?? []
    }

    private static func hasOuterOr(_ condition: String) -> Bool {
        let source = Array(condition.utf8)
        var depth = 0
        return ((try? SOQLLexer.tokens(of: source)) ?? []).contains { token in
            switch String(decoding: source[token.range], as: UTF8.self).lowercased() {
            case "(": depth += 1
            case ")": depth -= 1
            case "or": return depth == 0 && token.kind == .word
            default: break
            }
            return false
        }
    }
}
