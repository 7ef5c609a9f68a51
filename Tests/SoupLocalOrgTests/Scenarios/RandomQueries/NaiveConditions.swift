// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupSalesforce
import SoupCore

/// Evaluates conditions row by row.
struct NaiveConditions {
    let world: QueryWorld

    typealias Kind = QueryModel.Kind

    /// A value of a row and its kind.
    struct Value {
        var json: JSONValue
        var kind: Kind
    }

    // MARK: Values

    /// Returns the value of a path from a row.
    func value(_ path: SOQLPath, of row: NaiveRow) -> Value {
        var current: NaiveRow? = row
        var entity = QueryModel.entity(row.object)
        for name in path.names.dropLast() {
            let parent = entity?.parent(name)
            let next = current.flatMap { world.byId[$0[parent?.field ?? ""].stringValue ?? ""] }
            entity = next.flatMap { QueryModel.entity($0.object) } ?? QueryModel.entity(parent?.targets.first ?? "")
            current = next
        }
        if path.last.lowercased() == "type" {
            return Value(json: current.map { .string($0.object) } ?? .null, kind: .text)
        }
        return Value(json: current?[path.last] ?? .null, kind: entity?.kind(path.last) ?? .text)
    }

    func value(_ operand: SOQLOperand, of row: NaiveRow) -> Value {
        switch operand {
        case .path(let path): value(path, of: row)
        case .call(let call): value(call, of: row)
        }
    }

    /// Returns the part of a date that a function extracts.
    func value(_ call: SOQLCall, of row: NaiveRow) -> Value {
        var inner = Value(json: .null, kind: .text)
        switch call.arguments.first {
        case .path(let path): inner = value(path, of: row)
        case .call(let call): inner = value(call, of: row)
        default: break
        }
        let name = call.name.uppercased()
        if ["TOLABEL", "CONVERTTIMEZONE", "CONVERTCURRENCY"].contains(name) { return inner }
        let kind: Kind = name == "DAY_ONLY" ? .day : .int
        guard let text = inner.json.stringValue else { return Value(json: .null, kind: kind) }
        let instant = inner.kind == .instant ? DateText.milliseconds(text) ?? 0 : NaiveDay(text: text)?.start ?? 0
        let day = NaiveDay(instant: instant)
        let (year, month, date) = day.parts
        let ordinal = day.number - NaiveDay(year: year, month: 1, day: 1).number
        let number: Int
        switch name {
        case "DAY_ONLY": return Value(json: .string(day.text), kind: kind)
        case "CALENDAR_YEAR", "FISCAL_YEAR": number = year
        case "CALENDAR_MONTH", "FISCAL_MONTH": number = month
        case "CALENDAR_QUARTER", "FISCAL_QUARTER": number = (month - 1) / 3 + 1
        case "DAY_IN_MONTH": number = date
        case "DAY_IN_YEAR": number = ordinal + 1
        case "DAY_IN_WEEK": number = day.weekday + 1
        case "WEEK_IN_YEAR": number = ordinal / 7 + 1
        case "WEEK_IN_MONTH": number = (date - 1) / 7 + 1
        default: number = Int((instant - day.start) / 3_600_000)
        }
        return Value(json: .int(Int64(number)), kind: kind)
    }

    /// Compares two values of one kind: less than, equal to or greater than 0.
    ///
    /// Days, datetimes and times have a fixed number of digits, so their texts sort in their order.
    static func order(_ left: JSONValue, _ right: JSONValue, of kind: Kind) -> Int {
        if kind.isNumber {
            let (a, b) = (left.doubleValue ?? 0, right.doubleValue ?? 0)
            return a < b ? -1 : a > b ? 1 : 0
        }
        switch kind {
        case .flag: return (left == true ? 1 : 0) - (right == true ? 1 : 0)
        default:
            let (a, b) = (bytes(left, kind), bytes(right, kind))
            return a == b ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1
        }
    }

    /// Like ``order(_:_:_:)``, but picklists have the order of their values.
    static func sortOrder(_ left: JSONValue, _ right: JSONValue, of kind: Kind) -> Int {
        guard kind == .pick else { return order(left, right, of: kind) }
        func place(_ json: JSONValue) -> Int {
            let text = json.stringValue?.uppercased()
            return QueryModel.picks.firstIndex { $0.uppercased() == text } ?? QueryModel.picks.count
        }
        let difference = place(left) - place(right)
        return difference == 0 ? order(left, right, of: kind) : difference
    }

    private static func instant(_ json: JSONValue) -> Int64 { DateText.milliseconds(json.stringValue ?? "") ?? 0 }

    private static func bytes(_ json: JSONValue, _ kind: Kind) -> [UInt8] {
        let text = json.stringValue ?? ""
        return Array(([.text, .pick, .multi].contains(kind) ? text.uppercased() : text).utf8)
    }

    // MARK: Conditions

    func holds(_ condition: SOQLCondition, _ row: NaiveRow) -> Bool {
        holds(condition) { comparison in holds(comparison, row) }
    }

    func holds(_ condition: SOQLCondition, _ test: (SOQLComparison) -> Bool) -> Bool {
        switch condition {
        case .and(let terms): terms.allSatisfy { holds($0, test) }
        case .or(let terms): terms.contains { holds($0, test) }
        case .not(let inner): !holds(inner, test)
        case .group(let inner): holds(inner, test)
        case .comparison(let comparison): test(comparison)
        }
    }

    private func holds(_ comparison: SOQLComparison, _ row: NaiveRow) -> Bool {
        holds(comparison, value(comparison.operand, of: row))
    }

    func holds(_ comparison: SOQLComparison, _ value: Value) -> Bool {
        switch comparison.test {
        case .compare(let comparator, let literal): return compare(value, comparator, to: literal)
        case .like(let pattern): return like(value, pattern)
        case .isIn(let list, let negated):
            return list.contains { $0 != .null && compare(value, .equal, to: $0) } != negated
        case .isInQuery(let query, let negated):
            guard case .path(let path, _) = query.items[0] else { return false }
            let ids = (world.rows[query.source.path.description] ?? []).filter { row in
                !row.isDeleted && (query.condition.map { holds($0, row) } ?? true)
            }.map { self.value(path, of: $0).json }
            return (!value.json.isNull && ids.contains(value.json)) != negated
        case .includes(let alternatives, let negated):
            let has = Set((value.json.stringValue ?? "").uppercased().split(separator: ";"))
            let found = alternatives.contains { text in
                text.uppercased().split(separator: ";").allSatisfy { has.contains($0) }
            }
            return (found && !value.json.isNull) != negated
        }
    }

    private func compare(_ value: Value, _ comparator: SOQLOperator, to literal: SOQLValue) -> Bool {
        let json = value.json
        if literal == .null || (literal == .string("") && [.equal, .notEqual].contains(comparator)) {
            let isMissing = value.kind == .flag ? json != true : json.isNull
            return isMissing == (comparator == .equal)
        }
        // For a missing parent, a boolean field is false.
        if json.isNull && value.kind == .flag {
            return compare(Value(json: false, kind: .flag), comparator, to: literal)
        }
        if json.isNull { return comparator == .notEqual }
        if case .dateLiteral(let date) = literal { return compare(value, comparator, to: date) }
        let order = Self.order(json, Self.json(literal, value.kind), of: value.kind)
        switch comparator {
        case .equal: return order == 0
        case .notEqual: return order != 0
        case .less: return order < 0
        case .lessOrEqual: return order <= 0
        case .greater: return order > 0
        case .greaterOrEqual: return order >= 0
        }
    }

    private func compare(_ value: Value, _ comparator: SOQLOperator, to literal: SOQLDateLiteral) -> Bool {
        let span = NaiveDay.span(of: literal, today: NaiveDay(instant: world.now))
        let place: Int
        if value.kind == .day {
            let day = NaiveDay(text: value.json.stringValue ?? "") ?? NaiveDay(0)
            place = day < span.start ? -1 : day < span.end ? 0 : 1
        } else {
            let instant = Self.instant(value.json)
            let isBefore = span.endsNow ? instant <= world.now : instant < span.end.start
            place = instant < span.start.start ? -1 : isBefore ? 0 : 1
        }
        switch comparator {
        case .equal: return place == 0
        case .notEqual: return place != 0
        case .less: return place < 0
        case .lessOrEqual: return place <= 0
        case .greater: return place > 0
        case .greaterOrEqual: return place >= 0
        }
    }

    private static func json(_ literal: SOQLValue, _ kind: Kind) -> JSONValue {
        switch literal {
        case .string(let text):
            // An ID of 15 characters equals the ID of 18 characters with that prefix.
            kind == .id ? .string(SalesforceID.longForm(of: text) ?? text) : .string(text)
        case .number(let text), .currency(_, let text): .double(Double(text) ?? 0)
        case .bool(let value): .bool(value)
        case .date(let text): .string(text)
        case .dateTime(let time): .string(DateText.format(time))
        case .time(let text): .string(text)
        default: .null
        }
    }

    private func like(_ value: Value, _ pattern: String) -> Bool {
        guard let text = value.json.stringValue else { return false }
        let folds = value.kind != .exactText
        var symbols: [(scalar: Unicode.Scalar, isWildcard: Bool)] = []
        var scalars = (folds ? pattern.uppercased() : pattern).unicodeScalars[...]
        while let scalar = scalars.popFirst() {
            if scalar == "\\", let next = scalars.popFirst() {
                symbols.append((next, false))
            } else {
                symbols.append((scalar, scalar == "%" || scalar == "_"))
            }
        }
        return Self.matches(Array((folds ? text.uppercased() : text).unicodeScalars)[...], symbols[...])
    }

    private static func matches(
        _ text: ArraySlice<Unicode.Scalar>, _ pattern: ArraySlice<(scalar: Unicode.Scalar, isWildcard: Bool)>
    ) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        if first.isWildcard, first.scalar == "%" {
            return matches(text, pattern.dropFirst()) || (!text.isEmpty && matches(text.dropFirst(), pattern))
        }
        guard let scalar = text.first, first.isWildcard || scalar == first.scalar else { return false }
        return matches(text.dropFirst(), pattern.dropFirst())
    }
}
