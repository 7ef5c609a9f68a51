// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The value of an index column for a record: a slice of the record where possible.
enum IndexValue {
    case null
    case integer(Int64)
    case real(Double)
    /// Text as written in the record.
    case slice(Range<Int>)
    /// Text that differs from the record: escapes are resolved, or white space is removed.
    case text([UInt8])
}

extension IndexValue {
    /// Creates the value of a field that a projection found in `source`.
    ///
    /// Strings are stored unchanged; booleans are `true` and `false` in text columns, 1 and 0 in numeric ones; arrays
    /// and objects are compact JSON text. Numbers are stored as numbers; in text columns whole numbers stay as written.
    /// SQLite's affinity converts a text in a numeric column to a number if possible.
    init(
        _ field: JSONField, in source: borrowing Span<UInt8>, collected: [[UInt8]], for kind: IndexSpec.Kind
    ) {
        switch field.kind {
        case .missing, .null: self = .null
        case .true: self = Self.truth(true, for: kind)
        case .false: self = Self.truth(false, for: kind)
        case .string: self = .slice(field.start + 1..<field.end - 1)
        case .escapedString:
            let text = JSONText(trusted: Self.copy(source, field.range)[...])
            self = .text(Array((text.string ?? "").utf8))
        case .number: self = Self.number(field.range, in: source, for: kind)
        case .array, .object: self = .text(CompactJSON.text(of: Self.copy(source, field.range)))
        case .collected: self = .text(CompactJSON.text(of: collected[field.start]))
        }
    }

    /// Creates the value of a separate JSON text, as in stamps.
    init(_ text: JSONText?, for kind: IndexSpec.Kind) {
        guard let text, let field = try? JSONScanner.validate(text.bytes.span) else {
            self = .null
            return
        }
        let value = IndexValue(field, in: text.bytes.span, collected: [], for: kind)
        guard case .slice(let range) = value else {
            self = value
            return
        }
        self = .text(Self.copy(text.bytes.span, range))
    }

    /// Creates the value of a record's number.
    init(_ number: JSONNumber, for kind: IndexSpec.Kind) {
        self.init(JSONText(trusted: Array(number.text.utf8)[...]), for: kind)
    }

    private static func truth(_ value: Bool, for kind: IndexSpec.Kind) -> IndexValue {
        switch kind {
        case .string, .fullText: .text(Array((value ? "true" : "false").utf8))
        case .integer, .floating, .json1: .integer(value ? 1 : 0)
        }
    }

    private static func number(
        _ range: Range<Int>, in source: borrowing Span<UInt8>, for kind: IndexSpec.Kind
    ) -> IndexValue {
        var isWhole = true
        for index in range where !(source[index] >= 0x30 && source[index] <= 0x39) {
            if index > range.lowerBound || source[index] != UInt8(ascii: "-") { isWhole = false }
        }
        if isWhole, kind == .string || kind == .fullText { return .slice(range) }
        if isWhole, let value = integer(range, in: source) { return .integer(value) }
        if let value = plainDecimal(range, in: source) { return .real(value) }
        let value = Double(String(decoding: copy(source, range), as: UTF8.self)) ?? 0
        // json_extract returns infinity for numbers beyond a double; columns store only finite numbers.
        return .real(kind == .json1 ? value : value.clampedToFinite)
    }

    /// Returns a whole number of up to 64 bits.
    private static func integer(_ range: Range<Int>, in source: borrowing Span<UInt8>) -> Int64? {
        let isNegative = source[range.lowerBound] == UInt8(ascii: "-")
        var value: Int64 = 0
        for index in (isNegative ? range.lowerBound + 1 : range.lowerBound)..<range.upperBound {
            let (scaled, overflow) = value.multipliedReportingOverflow(by: 10)
            let digit = Int64(source[index] - 0x30)
            let (sum, overflows) =
                isNegative ? scaled.subtractingReportingOverflow(digit) : scaled.addingReportingOverflow(digit)
            if overflow || overflows { return nil }
            value = sum
        }
        return value
    }

    /// Reads a number without an exponent and with few digits exactly as the standard library does: digits up to 2^53
    /// and powers of ten up to 10^15 are exact doubles, so that their quotient is the nearest double.
    private static func plainDecimal(_ range: Range<Int>, in source: borrowing Span<UInt8>) -> Double? {
        guard range.count <= 16 else { return nil }
        var digits: Int64 = 0
        var scale = 1.0
        var isFraction = false
        for index in range {
            switch source[index] {
            case UInt8(ascii: "-") where index == range.lowerBound: continue
            case UInt8(ascii: ".") where !isFraction: isFraction = true
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                digits = digits * 10 + Int64(source[index] - UInt8(ascii: "0"))
                if isFraction { scale *= 10 }
            default: return nil
            }
        }
        guard digits < 1 << 53 else { return nil }
        let value = Double(digits) / scale
        return source[range.lowerBound] == UInt8(ascii: "-") ? -value : value
    }

    private static func copy(_ source: borrowing Span<UInt8>, _ range: Range<Int>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        for index in range { bytes.append(source[index]) }
        return bytes
    }
}

extension RawStatement {
    /// Binds a value; slices are bound without a copy, so `source` must stay valid until the statement has run.
    func bind(_ value: IndexValue, from source: UnsafeBufferPointer<UInt8>, at index: Int) throws {
        switch value {
        case .null: bindNull(at: index)
        case .integer(let number): bind(number, at: index)
        case .real(let number): bind(number, at: index)
        case .slice(let range): try bind(unowned: UnsafeBufferPointer(rebasing: source[range]), at: index)
        case .text(let text): try bind(text, at: index)
        }
    }

    /// Returns whether a column of the row already contains a value.
    ///
    /// It may return false although the column contains the value, but never true if it does not.
    func contains(_ value: IndexValue, from source: UnsafeBufferPointer<UInt8>, in column: Int) -> Bool {
        switch (value, type(column)) {
        case (.null, .null): true
        case (.integer(let number), .integer): integer(column) == number
        case (.integer(let number), .real): Self.areSame(number, real(column))
        case (.real(let number), .real): real(column) == number
        case (.real(let number), .integer): Self.areSame(integer(column), number)
        case (.slice(let range), .text): bytes(column).hasSameBytes(as: UnsafeBufferPointer(rebasing: source[range]))
        case (.text(let text), .text): text.withUnsafeBufferPointer { bytes(column).hasSameBytes(as: $0) }
        default: false
        }
    }

    /// Returns whether both are the same number.
    ///
    /// Beyond 2^53 several whole numbers have the same double.
    private static func areSame(_ whole: Int64, _ real: Double) -> Bool {
        whole.magnitude < 1 << 53 && Double(whole) == real
    }
}

extension Double {
    /// The greatest finite number in place of infinity, which has no JSON form; ``JSONValue`` reads such numbers in the
    /// same way.
    var clampedToFinite: Double { min(max(self, -.greatestFiniteMagnitude), .greatestFiniteMagnitude) }
}
