// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A parser that converts the tokens of a Smart SQL text into pieces, and refuses everything but one SELECT.
struct SmartSQLParser {
    private let text: String
    private var tokenizer: SmartSQLTokenizer
    private var bytes: [UInt8] { tokenizer.bytes }
    private var units: [Unit] = []

    /// A token with its properties; a reference together with its qualifier is one unit.
    struct Unit {
        var kind: SmartSQLToken.Kind
        var text: String
        /// The offset in bytes from the start of the query.
        var offset: Int
        var reference: SmartSQL.Reference?
        var parameter = -1
        /// Set on literals and parameters that are compared with a flag.
        var flag: SmartSQL.Reference?
        var flagValue: Bool?
        var matchPieces: [SmartSQL.Piece]?
    }

    init(_ text: String) {
        self.text = text
        tokenizer = SmartSQLTokenizer(text)
    }

    mutating func parse() throws -> [SmartSQL.Piece] {
        try readUnits()
        try SmartSQLParser.requireSelect(units)
        SmartSQLFlags.mark(&units)
        return pieces()
    }

    private mutating func readUnits() throws {
        var parameters = 0
        while let token = try tokenizer.next() {
            var unit = Unit(kind: token.kind, text: source(token.range), offset: token.range.lowerBound)
            switch token.kind {
            case .parameter:
                if unit.text == "?" { unit.parameter = parameters }
                parameters += 1
            case .reference:
                unit.reference = try Self.reference(unit.text, at: token.range.lowerBound)
                takeQualifier(for: &unit)
            case .string where lastWord == "MATCH":
                let inner = try Self.references(in: unit.text, from: token.range.lowerBound)
                if inner.contains(where: { if case .reference = $0 { true } else { false } }) {
                    unit.matchPieces = inner
                }
            default: break
            }
            units.append(unit)
        }
        // Numbered and named parameters are not analyzed: removing one would change the numbers of the others.
        if units.contains(where: { $0.kind == .parameter && $0.parameter < 0 }) {
            for index in units.indices { units[index].parameter = -1 }
        }
    }

    private func source(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// The last unit that is neither space nor comment, if it is a word; in upper case.
    private var lastWord: String? {
        guard let last = units.last(where: { $0.kind != .space }), last.kind == .word else { return nil }
        return last.text.uppercased()
    }

    /// Moves `alias.` or `{soup}.` from the end of the units into the reference that follows it.
    private mutating func takeQualifier(for unit: inout Unit) {
        guard units.count >= 2, units[units.count - 1].text == "." else { return }
        let name = units[units.count - 2]
        switch name.kind {
        case .word, .quotedName:
            unit.reference?.qualifier = .name(name.text)
        case .reference:
            guard let soup = name.reference, soup.path == nil, soup.qualifier == nil else { return }
            unit.reference?.qualifier = .soup(soup.soup, column: soup.column)
        default: return
        }
        unit.text = name.text + "." + unit.text
        unit.offset = name.offset
        units.removeLast(2)
    }

    private func pieces() -> [SmartSQL.Piece] {
        var pieces: [SmartSQL.Piece] = []
        var plain = ""
        func flush() {
            if !plain.isEmpty { pieces.append(.text(plain)) }
            plain = ""
        }
        for unit in units {
            if let inner = unit.matchPieces {
                flush()
                pieces += inner
            } else if let reference = unit.reference {
                flush()
                pieces.append(.reference(reference))
            } else if let flag = unit.flag, let value = unit.flagValue {
                flush()
                pieces.append(.flag(literal: unit.text, value: value, reference: flag))
            } else if let flag = unit.flag {
                flush()
                pieces.append(.flagParameter(unit.text, ordinal: unit.parameter, reference: flag))
            } else if unit.text != ";" {
                plain += unit.text
            }
        }
        flush()
        return pieces
    }
}

extension SmartSQLParser {
    /// Reads `{soup}` or `{soup:path}` at a byte offset in the whole text.
    static func reference(_ source: String, at offset: Int) throws -> SmartSQL.Reference {
        // By bytes: a combining mark after a brace or a colon forms another character with it.
        let parts = source.utf8.dropFirst().dropLast()
            .split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map { String(Substring($0)) }
        let opens = source.utf8.dropFirst().contains(UInt8(ascii: "{"))
        guard parts.count <= 2, !parts.contains(where: \.isEmpty), !opens else {
            throw SmartSQLFault(
                code: .badReference, message: "invalid soup/path reference \(source)", offset: offset,
                hint: "Write {soup} or {soup:path}.")
        }
        return SmartSQL.Reference(
            soup: SoupName(parts[0]), path: parts.count == 2 ? JSONPath(parts[1]) : nil,
            column: offset + 1)
    }

    /// Returns the references in a text that is otherwise unchanged: the key of a MATCH, with or without its quotes.
    static func references(in text: String, from offset: Int) throws -> [SmartSQL.Piece] {
        var pieces: [SmartSQL.Piece] = []
        let bytes = Array(text.utf8)
        var start = 0
        while let open = bytes[start...].firstIndex(of: UInt8(ascii: "{")),
            let close = bytes[open...].firstIndex(of: UInt8(ascii: "}"))
        {
            if open > start { pieces.append(.text(String(decoding: bytes[start..<open], as: UTF8.self))) }
            let source = String(decoding: bytes[open...close], as: UTF8.self)
            if source.utf8.contains(UInt8(ascii: ":")) {
                var reference = try reference(source, at: offset + open)
                reference.isInMatchKey = true
                pieces.append(.reference(reference))
            } else {
                // The column sets of full-text search have this form: {a b}: word.
                pieces.append(.text(source))
            }
            start = close + 1
        }
        if start < bytes.count { pieces.append(.text(String(decoding: bytes[start...], as: UTF8.self))) }
        return pieces
    }

    /// Checks that the units are one SELECT, which may follow a WITH.
    static func requireSelect(_ units: [Unit]) throws {
        var depth = 0
        var verb: String?
        var ended = false
        for unit in units where unit.kind != .space {
            if ended { throw onlySelect("only one statement is allowed", at: unit.offset) }
            switch unit.text {
            case "(": depth += 1
            case ")": depth -= 1
            case ";": ended = true
            default: break
            }
            guard depth == 0, unit.kind == .word else {
                if verb == nil { throw onlySelect("the query begins with \(unit.text)", at: unit.offset) }
                continue
            }
            let word = unit.text.uppercased()
            if verb == nil || (verb == "WITH" && verbs.contains(word)) { verb = word }
            guard verb == "SELECT" || verb == "WITH" else {
                throw onlySelect("the query is \(verb ?? "empty")", at: unit.offset)
            }
        }
        guard verb == "SELECT" else {
            let first = units.first { $0.kind != .space }?.offset ?? 0
            throw onlySelect(verb == nil ? "the query is empty" : "no SELECT follows WITH", at: first)
        }
    }

    private static let verbs: Set<String> = ["SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE", "VALUES"]

    private static func onlySelect(_ why: String, at offset: Int) -> SmartSQLFault {
        SmartSQLFault(code: .onlySelect, message: "Smart SQL can only be a SELECT: \(why)", offset: offset)
    }
}
