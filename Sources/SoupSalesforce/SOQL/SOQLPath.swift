// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A dotted name in a query: a field, a field reached over parents (`Account.Owner.Name`), or a relationship.
package struct SOQLPath: Sendable, Hashable, CustomStringConvertible {
    /// The names, as written.
    ///
    /// Never empty in a parsed query.
    package var names: [String]
    /// The position of the path in its query.
    package var position: SOQLPosition

    /// Creates a path of these names, which are not checked; without a position for trees that were not parsed.
    package init(_ names: [String], at position: SOQLPosition = SOQLPosition()) {
        self.names = names
        self.position = position
    }

    /// The last name; for a field path, the field.
    package var last: String { names.last ?? "" }
    /// The names with dots between them.
    package var description: String { names.joined(separator: ".") }

    /// Returns whether both paths have the same names, ignoring case.
    package func matches(_ other: String) -> Bool { description.lowercased() == other.lowercased() }
}

/// A byte offset in the text of a query.
///
/// It is the position of an element in the text, and is ignored when trees are compared.
package struct SOQLPosition: Sendable, Hashable {
    /// The offset, counted from 0; nil for trees that were not parsed.
    package var offset: Int?

    /// Creates a position; unknown by default.
    package init(_ offset: Int? = nil) { self.offset = offset }

    /// Returns true, so that trees are equal regardless of the positions of their parts.
    package static func == (left: SOQLPosition, right: SOQLPosition) -> Bool { true }
    /// Adds nothing, because all positions are equal.
    package func hash(into hasher: inout Hasher) {}
}

/// A function with its arguments: `COUNT(Id)`, `CALENDAR_YEAR(CloseDate)`, `FIELDS(ALL)`.
package struct SOQLCall: Sendable, Hashable {
    /// The function, as written.
    package var name: String
    /// The arguments between the parentheses; empty for `COUNT()`.
    package var arguments: [Argument]
    /// The position of the function's name.
    package var position: SOQLPosition

    /// An argument of a function.
    package indirect enum Argument: Sendable, Hashable {
        case path(SOQLPath)
        case call(SOQLCall)
        case value(SOQLValue)
    }

    /// Creates a call; neither the function nor the number of its arguments is checked.
    package init(_ name: String, _ arguments: [Argument], at position: SOQLPosition = SOQLPosition()) {
        self.name = name
        self.arguments = arguments
        self.position = position
    }

    /// Whether the function computes one value from many records.
    package var isAggregate: Bool {
        ["count", "count_distinct", "sum", "avg", "min", "max"].contains(name.lowercased())
    }

    /// The path, if it is the only argument.
    package var onlyPath: SOQLPath? {
        if arguments.count == 1, case .path(let path) = arguments[0] { path } else { nil }
    }
}

/// The subject of conditions, groups and orders: a field, or a function of fields.
package enum SOQLOperand: Sendable, Hashable {
    case path(SOQLPath)
    case call(SOQLCall)

    /// The position of the field or of the function's name.
    package var position: SOQLPosition {
        switch self {
        case .path(let path): path.position
        case .call(let call): call.position
        }
    }
}
