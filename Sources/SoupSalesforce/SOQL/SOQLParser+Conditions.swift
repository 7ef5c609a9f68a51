// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension SOQLParser {
    mutating func condition() throws -> SOQLCondition {
        var terms = [try conjunction()]
        while keyword() == "OR" {
            if !allowsMixedConditions, case .and = terms[0] { throw unexpected() }
            advance()
            terms.append(try conjunction())
        }
        return terms.count == 1 ? terms[0] : .or(terms)
    }

    private mutating func conjunction() throws -> SOQLCondition {
        let isAlternative = index > 0 && keyword(ahead: -1) == "OR"
        var terms = [try term()]
        while keyword() == "AND" {
            if !allowsMixedConditions, isAlternative { throw unexpected() }
            advance()
            terms.append(try term())
        }
        return terms.count == 1 ? terms[0] : .and(terms)
    }

    private mutating func term() throws -> SOQLCondition {
        try nested { parser in
            if parser.takeSymbol("(") {
                let inner = try parser.condition()
                try parser.expectSymbol(")")
                return .group(inner)
            }
            if parser.keyword() == "NOT", parser.isSymbol("(", ahead: 1) || parser.token(ahead: 1).kind == .word {
                let isBehind = parser.index > 0 && ["AND", "OR"].contains(parser.keyword(ahead: -1))
                if !parser.allowsMixedConditions, isBehind { throw parser.unexpected() }
                parser.advance()
                let negation = SOQLCondition.not(try parser.term())
                // After another condition, servers accept it only in parentheses.
                return isBehind ? .group(negation) : negation
            }
            return .comparison(try parser.comparison())
        }
    }

    private mutating func comparison() throws -> SOQLComparison {
        let operand = try operand()
        if let comparator = try comparator() {
            return SOQLComparison(operand, .compare(comparator, try value()))
        }
        switch keyword() {
        case "LIKE":
            advance()
            return SOQLComparison(operand, .like(pattern: try string(keepingWildcards: true)))
        case "IN":
            advance()
            return SOQLComparison(operand, try membership(negated: false))
        case "NOT":
            advance()
            try expect("IN")
            return SOQLComparison(operand, try membership(negated: true))
        case "INCLUDES", "EXCLUDES":
            let negated = keyword() == "EXCLUDES"
            advance()
            try expectSymbol("(")
            let values = try list { try $0.string() }
            try expectSymbol(")")
            return SOQLComparison(operand, .includes(values, negated: negated))
        default: throw unexpected(wanted: "a comparison")
        }
    }

    private mutating func comparator() throws -> SOQLOperator? {
        guard token.kind == .symbol else { return nil }
        let comparator: SOQLOperator
        switch text(token) {
        case "<>": comparator = .notEqual
        case let symbol:
            guard let known = SOQLOperator(rawValue: symbol) else { return nil }
            comparator = known
        }
        advance()
        return comparator
    }

    private mutating func membership(negated: Bool) throws -> SOQLComparison.Test {
        try expectSymbol("(")
        if keyword() == "SELECT" {
            let query = try query().query
            try expectSymbol(")")
            return .isInQuery(query, negated: negated)
        }
        let values = try list { try $0.value() }
        try expectSymbol(")")
        return .isIn(values, negated: negated)
    }
}
