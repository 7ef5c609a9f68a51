// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupSalesforce
import SoupCore
import SoupTesting

extension QueryGenerator {
    /// Returns conditions of WHERE that must all hold, with at most two subselects.
    mutating func filter(_ entity: QueryModel.Entity) -> SOQLCondition {
        var terms = [condition(entity, depth: 3)]
        if chance(5) {
            for _ in 0...int(2) { terms.append(chance(3) ? .not(semiJoin(entity)) : semiJoin(entity)) }
        }
        terms = terms.map { term in
            switch term {
            case .and, .or: .group(term)
            default: term
            }
        }
        return terms.count == 1 ? terms[0] : .and(terms)
    }

    private mutating func condition(_ entity: QueryModel.Entity, depth: Int) -> SOQLCondition {
        guard depth > 0, !chance(3) else { return .comparison(comparison(entity)) }
        func part(_ condition: SOQLCondition) -> SOQLCondition {
            switch condition {
            case .and, .or: .group(condition)
            default: condition
            }
        }
        switch int(4) {
        case 0: return .not(part(condition(entity, depth: depth - 1)))
        case 1: return .group(condition(entity, depth: depth - 1))
        case 2: return .and((0..<2 + int(2)).map { _ in part(condition(entity, depth: depth - 1)) })
        default: return .or((0..<2 + int(2)).map { _ in part(condition(entity, depth: depth - 1)) })
        }
    }

    private mutating func semiJoin(_ entity: QueryModel.Entity) -> SOQLCondition {
        let choices: [(String, String, String)] =
            switch entity.name {
            case "Thing__c":
                [
                    ("Id", "Thing__c", "Part__c"), ("Account__c", "Id", "Account"), ("Any__c", "Id", "Account"),
                    ("Any__c", "ParentId", "Account"),
                ]
            case "Part__c": [("Thing__c", "Id", "Thing__c"), ("Thing__c", "Parent__c", "Thing__c")]
            default: [("Id", "Account__c", "Thing__c"), ("ParentId", "Any__c", "Thing__c")]
            }
        let (left, selected, object) = one(choices)
        var query = SOQLQuery([.path(SOQLPath([selected]), alias: nil)], from: SOQLSource(SOQLPath([object])))
        if !chance(3), let inner = QueryModel.entity(object) { query.condition = condition(inner, depth: 2) }
        return .comparison(SOQLComparison(.path(SOQLPath([left])), .isInQuery(query, negated: chance(2))))
    }

    private mutating func comparison(_ entity: QueryModel.Entity) -> SOQLComparison {
        if chance(10) {
            let call = dateCall(entity)
            let value: SOQLValue =
                call.name == "DAY_ONLY" ? literal(.day, nil) : .number("\(int(4) == 0 ? 2024 : int(53))")
            return SOQLComparison(.call(call), .compare(comparator(.int), value))
        }
        let field = field(entity)
        let operand = SOQLOperand.path(field.path)
        switch (field.kind, int(6)) {
        case (.multi, 0...3): return SOQLComparison(operand, .includes(choices(), negated: chance(2)))
        case (.text, 0), (.exactText, 0), (.pick, 0): return SOQLComparison(operand, .like(pattern: pattern()))
        case (let kind, 1):
            let values = (0...int(4)).map { _ in literal(kind, field.path) }
            return SOQLComparison(operand, .isIn(values, negated: chance(2)))
        case (.day, 2...4), (.instant, 2...4):
            return SOQLComparison(operand, .compare(comparator(.day), .dateLiteral(dateLiteral())))
        case (_, 5): return SOQLComparison(operand, .compare(one([.equal, .notEqual]), .null))
        case (let kind, _): return SOQLComparison(operand, .compare(comparator(kind), literal(kind, field.path)))
        }
    }

    private mutating func comparator(_ kind: Kind) -> SOQLOperator {
        one(kind == .flag ? [.equal, .notEqual] : [.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual])
    }

    private mutating func choices() -> [String] {
        (0...int(2)).map { _ in (0...int(2)).map { _ in one(["a", "b", "CC", "ä", "z"]) }.joined(separator: ";") }
    }

    private mutating func pattern() -> String {
        let pieces = [
            "%", "%", "_", "a", "c", "ME", "\\%", "\\_", "äP", "\\\\", "100", " ", "'", "[", "*", "C", "x", "漢",
        ]
        return (0...int(3)).map { _ in one(pieces) }.joined()
    }

    private mutating func dateLiteral() -> SOQLDateLiteral {
        let units = ["WEEK", "MONTH", "QUARTER", "YEAR", "FISCAL_QUARTER", "FISCAL_YEAR"]
        switch int(3) {
        case 0: return SOQLDateLiteral(one(["YESTERDAY", "TODAY", "TOMORROW", "LAST_90_DAYS", "NEXT_90_DAYS"]))
        case 1: return SOQLDateLiteral("\(one(["LAST", "THIS", "NEXT"]))_\(one(units))")
        default:
            let unit = one(units + ["DAY", "DAY"])
            return SOQLDateLiteral(
                one(["LAST_N_\(unit)S", "NEXT_N_\(unit)S", "N_\(unit)S_AGO"]), count: int(one([3, 60])))
        }
    }

    /// Returns a literal, in most cases one that a row contains.
    private mutating func literal(_ kind: Kind, _ path: SOQLPath?) -> SOQLValue {
        let held: JSONValue? =
            chance(3) ? nil : path.flatMap { sample($0.last) }
        switch kind {
        case .text, .exactText, .pick, .multi:
            let text = held?.stringValue ?? one(QueryWorld.texts + ["Red", "a;b", "Account", "Thing__c", "Hot", "C2x"])
            return .string(chance(4) ? text.uppercased() : text)
        case .id:
            let id = held?.stringValue ?? one(world.ids)
            return .string(chance(3) ? String(id.prefix(15)) : id)
        case .flag: return .bool(chance(2))
        case .int: return .number("\(held?.intValue ?? Int64(int(9)) - 3)")
        case .real: return .number("\(held?.doubleValue ?? Double(int(9)) / 4)")
        case .currency:
            let amount = "\(held?.doubleValue ?? Double(int(9)) * 25)"
            return chance(3) ? .currency(code: "USD", amount: amount) : .number(amount)
        case .day:
            let instant = QueryWorld.someInstant(world.now, &random)
            return .date(held?.stringValue ?? String(DateText.format(instant, zone: "Z").prefix(10)))
        case .instant:
            let instant = held?.stringValue.flatMap { DateText.parse($0) }
            return .dateTime(
                instant ?? Date(millisecondsSince1970: QueryWorld.someInstant(world.now, &random)))
        case .time: return .time(one(["00:00:00.000Z", "09:30:00.000Z", "12:00:00.000Z", "23:59:59.999Z"]))
        }
    }

    /// Returns a value that a row has in a field of this name.
    private mutating func sample(_ name: String) -> JSONValue? {
        let row = world.byId[one(world.ids)]
        let value = row?[name] ?? .null
        return value.isNull ? nil : value
    }
}
