// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A dotted name in a query: a field, a field reached over parents (`Account.Owner.Name`), or a relationship.
public struct SOQLPath: Sendable, Hashable, CustomStringConvertible {
    /// The names, as written.
    ///
    /// Never empty in a parsed query.
    public var names: [String]
    /// Where the path begins in its query.
    public var position: SOQLPosition

    /// Makes a path of these names, which are not looked at; without a position, as for trees that were not parsed.
    public init(_ names: [String], at position: SOQLPosition = SOQLPosition()) {
        self.names = names
        self.position = position
    }

    /// The last name: of a field path the field.
    public var last: String { names.last ?? "" }
    /// The names with dots between them.
    public var description: String { names.joined(separator: ".") }

    /// Whether the two say the same: names do not depend on case.
    public func matches(_ other: String) -> Bool { description.lowercased() == other.lowercased() }
}

/// A byte offset in the text of a query.
///
/// It tells where something was written, and does not count when trees are compared.
public struct SOQLPosition: Sendable, Hashable {
    /// Counted from 0; nil for trees that were not parsed.
    public var offset: Int?

    /// Makes a position, by default an unknown one.
    public init(_ offset: Int? = nil) { self.offset = offset }

    /// Always true, so that trees are equal wherever their parts were written.
    public static func == (left: SOQLPosition, right: SOQLPosition) -> Bool { true }
    /// Adds nothing: all positions are equal.
    public func hash(into hasher: inout Hasher) {}
}

/// A function with its arguments: `COUNT(Id)`, `CALENDAR_YEAR(CloseDate)`, `FIELDS(ALL)`.
public struct SOQLCall: Sendable, Hashable {
    /// The function, as written.
    public var name: String
    /// What stands between the parentheses; empty for `COUNT()`.
    public var arguments: [Argument]
    /// Where the name of the function begins.
    public var position: SOQLPosition

    /// What a function is applied to.
    public indirect enum Argument: Sendable, Hashable {
        case path(SOQLPath)
        case call(SOQLCall)
        case value(SOQLValue)
    }

    /// Makes a call; neither the function nor the number of its arguments is checked.
    public init(_ name: String, _ arguments: [Argument], at position: SOQLPosition = SOQLPosition()) {
        self.name = name
        self.arguments = arguments
        self.position = position
    }

    /// Whether it makes one value of many records.
    public var isAggregate: Bool {
        ["count", "count_distinct", "sum", "avg", "min", "max"].contains(name.lowercased())
    }

    /// The path, when it is the one argument.
    public var onlyPath: SOQLPath? {
        if arguments.count == 1, case .path(let path) = arguments[0] { path } else { nil }
    }
}

/// What conditions, groups and orders are about: a field, or a function of fields.
public enum SOQLOperand: Sendable, Hashable {
    case path(SOQLPath)
    case call(SOQLCall)

    /// Where the field or the name of the function begins.
    public var position: SOQLPosition {
        switch self {
        case .path(let path): path.position
        case .call(let call): call.position
        }
    }
}
