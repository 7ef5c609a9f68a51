// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A condition of WHERE or HAVING.
///
/// `AND` binds closer than `OR`. A server refuses the two side by side without parentheses, so that parentheses are
/// part of the tree: ``group(_:)``.
public indirect enum SOQLCondition: Sendable, Hashable {
    /// Two or more, all of which must hold.
    case and([SOQLCondition])
    /// Two or more, one of which must hold.
    case or([SOQLCondition])
    case not(SOQLCondition)
    /// In parentheses.
    case group(SOQLCondition)
    case comparison(SOQLComparison)

    /// The condition without the parentheses around it.
    public var ungrouped: SOQLCondition {
        if case .group(let inner) = self { inner.ungrouped } else { self }
    }
}

/// A test of one field.
public struct SOQLComparison: Sendable, Hashable {
    /// The left side.
    public var operand: SOQLOperand
    /// The comparison with all that stands on its right side.
    public var test: Test

    /// What the field is tested for.
    public indirect enum Test: Sendable, Hashable {
        case compare(SOQLOperator, SOQLValue)
        /// The pattern keeps `\%`, `\_` and `\\` as written, so that they differ from wildcards.
        case like(pattern: String)
        case isIn([SOQLValue], negated: Bool)
        case isInQuery(SOQLQuery, negated: Bool)
        /// `INCLUDES`, negated `EXCLUDES`: for fields that hold several values.
        case includes([String], negated: Bool)
    }

    /// Makes a comparison; whether the field is of a type that allows the test is not asked.
    public init(_ operand: SOQLOperand, _ test: Test) {
        self.operand = operand
        self.test = test
    }
}

/// The comparisons by order.
public enum SOQLOperator: String, Sendable, Hashable {
    case equal = "="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
}
