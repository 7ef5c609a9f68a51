// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A value that queries compare: one of SQLite's storage classes.
enum StorageValue: Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text([UInt8])

    init(_ text: String) { self = .text(Array(text.utf8)) }

    var isNull: Bool { if case .null = self { true } else { false } }

    /// The value as text; nil for null.
    var asText: [UInt8]? {
        switch self {
        case .null: nil
        case .integer(let number): Array(String(number).utf8)
        case .real(let number): Array(NumberText.text(of: number).utf8)
        case .text(let text): text
        }
    }
}

extension StorageValue: Comparable {
    /// Orders null before numbers, and numbers before text; compares numbers by value, and texts by their bytes.
    static func < (left: StorageValue, right: StorageValue) -> Bool {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): left < right
        case (.real(let left), .real(let right)): left < right
        case (.integer(let left), .real(let right)): order(left, right) < 0
        case (.real(let left), .integer(let right)): order(right, left) > 0
        case (.text(let left), .text(let right)): left.lexicographicallyPrecedes(right)
        default: left.rank < right.rank
        }
    }

    static func == (left: StorageValue, right: StorageValue) -> Bool { !(left < right) && !(right < left) }

    private var rank: Int {
        switch self {
        case .null: 0
        case .integer, .real: 1
        case .text: 2
        }
    }

    /// Compares a whole number with a real without rounding; returns a negative number, 0 or a positive number.
    private static func order(_ whole: Int64, _ real: Double) -> Int {
        if real < -9_223_372_036_854_775_808.0 { return 1 }
        if real >= 9_223_372_036_854_775_808.0 { return -1 }
        let floor = Int64(real.rounded(.down))
        if whole != floor { return whole < floor ? -1 : 1 }
        return real > Double(floor) ? -1 : 0
    }
}

extension StorageValue: Hashable {
    /// Hashes the value so that equal numbers have equal hashes.
    func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .integer(let number): hasher.combine(number)
        case .real(let number):
            if let whole = Int64(exactly: number) { hasher.combine(whole) } else { hasher.combine(number) }
        case .text(let text): hasher.combine(text)
        }
    }
}

/// The conversion that a column applies to its values, and to the values it is compared with.
enum Affinity: Sendable {
    case none, text, integer, real
}

extension IndexSpec.Kind {
    var affinity: Affinity {
        switch self {
        case .string, .fullText: .text
        case .integer: .integer
        case .floating: .real
        case .json1: .none
        }
    }
}

extension StorageValue {
    /// Returns the value as a column of an affinity stores it: a number as text in a text column, a text that contains
    /// a number as that number in a numeric column.
    func converted(to affinity: Affinity) -> StorageValue {
        switch (affinity, self) {
        case (.none, _), (_, .null), (.text, .text), (.integer, .integer): self
        case (.text, .integer(let number)): StorageValue(String(number))
        case (.text, .real(let number)): StorageValue(NumberText.text(of: number))
        case (.integer, .real(let number)): Self.whole(number)
        case (.real, .integer(let number)): .real(Double(number))
        // A real column stores whole numbers as integers, and has no negative zero.
        case (.real, .real(let number)): number == 0 ? .real(0) : self
        case (.integer, .text(let text)), (.real, .text(let text)):
            NumberText.number(in: text)?.converted(to: affinity) ?? self
        }
    }

    /// Returns a real that is a whole number as an integer, except for the limits of 64 bits.
    private static func whole(_ number: Double) -> StorageValue {
        guard let whole = Int64(exactly: number), whole != .min, whole != .max else { return .real(number) }
        return .integer(whole)
    }
}
