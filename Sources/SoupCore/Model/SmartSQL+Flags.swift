// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A search for the literals and parameters that a query compares with local flags.
///
/// The two mobile platforms store booleans of string indexes differently (`1` and `true`), and apps compare the flags
/// with either. With these literals a backend can accept both, and use an index that contains only raised flags.
enum SmartSQLFlags {
    static func mark(_ units: inout [SmartSQLParser.Unit]) {
        let solid = units.indices.filter { units[$0].kind != .space }
        for (order, index) in solid.enumerated() {
            guard let reference = units[index].reference, let path = reference.path,
                EntryField.localFlags.contains(path.rawValue)
            else { continue }
            markOperands(after: reference, in: &units, at: solid[(order + 1)...])
            markOperand(before: reference, in: &units, at: solid[..<order])
        }
    }

    /// Marks `flag = literal`, `flag IS NOT literal` and `flag IN (literal, ...)`.
    private static func markOperands(
        after reference: SmartSQL.Reference, in units: inout [SmartSQLParser.Unit], at solid: ArraySlice<Int>
    ) {
        guard var position = solid.indices.first else { return }
        let operation = units[solid[position]]
        let word = operation.kind == .word ? operation.text.uppercased() : ""
        guard operation.kind == .comparison || ["IS", "IN", "NOT"].contains(word) else { return }
        position += 1
        if position < solid.endIndex, ["NOT", "IN"].contains(units[solid[position]].text.uppercased()) {
            position += 1
        }
        guard position < solid.endIndex else { return }
        if units[solid[position]].text != "(" {
            mark(solid[position], in: &units, comparedWith: reference)
            return
        }
        for index in solid[(position + 1)...] {
            if units[index].text == ")" { return }
            mark(index, in: &units, comparedWith: reference)
        }
    }

    /// Marks `literal = flag`.
    private static func markOperand(
        before reference: SmartSQL.Reference, in units: inout [SmartSQLParser.Unit], at solid: ArraySlice<Int>
    ) {
        guard solid.count >= 2, let last = solid.last, units[last].kind == .comparison else { return }
        mark(solid[solid.endIndex - 2], in: &units, comparedWith: reference)
    }

    private static func mark(
        _ index: Int, in units: inout [SmartSQLParser.Unit], comparedWith reference: SmartSQL.Reference
    ) {
        switch units[index].kind {
        case .parameter where units[index].parameter >= 0: units[index].flag = reference
        case .string, .quotedName, .word:
            guard let value = truth(of: units[index].text) else { return }
            units[index].flag = reference
            units[index].flagValue = value
        default: return
        }
    }

    private static func truth(of literal: String) -> Bool? {
        switch literal.lowercased().trimmingQuotes {
        case "1", "true": true
        case "0", "false": false
        default: nil
        }
    }
}

extension String {
    fileprivate var trimmingQuotes: Substring {
        guard count >= 2, let first, first == last, first == "'" || first == "\"" else { return self[...] }
        return dropFirst().dropLast()
    }
}
