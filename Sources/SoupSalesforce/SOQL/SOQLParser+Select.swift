// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension SOQLParser {
    mutating func identifier() throws -> String {
        guard token.kind == .word, source[token.range.lowerBound] != UInt8(ascii: "_") else {
            throw unexpected(wanted: "a name")
        }
        defer { advance() }
        return text(token)
    }

    mutating func path() throws -> SOQLPath {
        let start = token.range.lowerBound
        var names = [try identifier()]
        while takeSymbol(".") { names.append(try identifier()) }
        return SOQLPath(names, at: SOQLPosition(start))
    }

    mutating func operand() throws -> SOQLOperand {
        if token.kind == .word, isSymbol("(", ahead: 1) { return .call(try call()) }
        return .path(try path())
    }

    mutating func selectItem() throws -> SOQLSelectItem {
        if takeSymbol("(") {
            let child = try query().query
            try expectSymbol(")")
            return .child(child)
        }
        if keyword() == "TYPEOF", token(ahead: 1).kind == .word, keyword(ahead: 1) != "FROM" {
            return .typeOf(try typeOf())
        }
        switch try operand() {
        case .path(let path): return .path(path, alias: try alias())
        case .call(let call): return .call(call, alias: try alias())
        }
    }

    private mutating func alias() throws -> String? {
        if take("AS") { return try identifier() }
        return token.kind == .word && keyword() != "FROM" ? try identifier() : nil
    }

    mutating func call() throws -> SOQLCall {
        let start = token.range.lowerBound
        let name = try identifier()
        return try nested { parser in
            try parser.expectSymbol("(")
            var arguments: [SOQLCall.Argument] = []
            if !parser.isSymbol(")") { arguments = try parser.list { try $0.argument() } }
            try parser.expectSymbol(")")
            return SOQLCall(name, arguments, at: SOQLPosition(start))
        }
    }

    private mutating func argument() throws -> SOQLCall.Argument {
        guard token.kind == .word else { return .value(try value()) }
        switch try operand() {
        case .path(let path): return .path(path)
        case .call(let call): return .call(call)
        }
    }

    private mutating func typeOf() throws -> SOQLTypeOf {
        try expect("TYPEOF")
        var typeOf = SOQLTypeOf(try path(), [])
        while take("WHEN") {
            let object = try identifier()
            try expect("THEN")
            typeOf.branches.append(SOQLTypeOf.Branch(object, try list { try $0.path() }))
        }
        if typeOf.branches.isEmpty { throw unexpected(wanted: "WHEN") }
        if take("ELSE") { typeOf.otherwise = try list { try $0.path() } }
        try expect("END")
        return typeOf
    }
}
