// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A condition of WHERE or HAVING.
///
/// `AND` has a higher precedence than `OR`. A server refuses the two side by side without parentheses. Therefore
/// parentheses are part of the tree: ``group(_:)``.
package indirect enum SOQLCondition: Sendable, Hashable {
    /// Two or more conditions, all of which must be true.
    case and([SOQLCondition])
    /// Two or more conditions, one of which must be true.
    case or([SOQLCondition])
    case not(SOQLCondition)
    /// A condition in parentheses.
    case group(SOQLCondition)
    case comparison(SOQLComparison)

    /// The condition without the parentheses around it.
    package var ungrouped: SOQLCondition {
        if case .group(let inner) = self { inner.ungrouped } else { self }
    }
}

/// A test of one field.
package struct SOQLComparison: Sendable, Hashable {
    /// The left side.
    package var operand: SOQLOperand
    /// The comparison with its right side.
    package var test: Test

    /// The test of the field.
    package indirect enum Test: Sendable, Hashable {
        case compare(SOQLOperator, SOQLValue)
        /// The pattern keeps `\%`, `\_` and `\\` as written, so that they differ from wildcards.
        case like(pattern: String)
        case isIn([SOQLValue], negated: Bool)
        case isInQuery(SOQLQuery, negated: Bool)
        /// `INCLUDES`, negated `EXCLUDES`: for fields with several values.
        case includes([String], negated: Bool)
    }

    /// Creates a comparison; whether the type of the field allows the test is not checked.
    package init(_ operand: SOQLOperand, _ test: Test) {
        self.operand = operand
        self.test = test
    }
}

/// The operators that compare by equality and order.
package enum SOQLOperator: String, Sendable, Hashable {
    case equal = "="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
}
