// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
internal import SoupCore

/// The values of names in braces in the requests and the expectations of a case.
///
/// Only known names are replaced; other text in braces is not changed.
struct CaseVariables: Sendable {
    var values: [String: String] = [:]

    subscript(name: String) -> String? {
        get { values[name] }
        set { values[name] = newValue }
    }

    /// Returns a value in which the names in texts and keys are replaced.
    func filling(_ value: JSONValue) -> JSONValue {
        switch value {
        case .string(let text): .string(filling(text))
        case .array(let items): .array(items.map(filling))
        case .object(let object):
            .object(JSONObject(object.members.map { (key: filling($0.key), value: filling($0.value)) }))
        default: value
        }
    }

    /// Returns a text in which the names are replaced; names in the replacements are not.
    func filling(_ text: String) -> String {
        var output: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let open = rest.firstIndex(of: UInt8(ascii: "{")) {
            output += rest[..<open]
            rest = rest[open...]
            guard let close = rest.firstIndex(of: UInt8(ascii: "}")),
                let value = value(of: String(decoding: rest[(open + 1)..<close], as: UTF8.self))
            else {
                output.append(rest.removeFirst())
                continue
            }
            output += value.utf8
            rest = rest[(close + 1)...]
        }
        return String(decoding: output + rest, as: UTF8.self)
    }

    private func value(of name: String) -> String? {
        if let value = values[name] { return value }
        let start = "basic("
        guard name.utf8.starts(with: start.utf8), name.utf8.last == UInt8(ascii: ")") else { return nil }
        return Data(name.utf8.dropFirst(start.utf8.count).dropLast()).base64EncodedString()
    }

    /// Returns a value in which n items replace each `{"$repeat": n, "item": …}`; `{n}` counts the items from 1.
    static func repeating(_ value: JSONValue) -> JSONValue {
        switch value {
        case .array(let items): return .array(items.map(repeating))
        case .object(let object):
            guard let count = object["$repeat"]?.intValue, (0...100_000).contains(count), let item = object["item"]
            else { return .object(JSONObject(object.members.map { (key: $0.key, value: repeating($0.value)) })) }
            return .array((0..<count).map { CaseVariables(values: ["n": String($0 + 1)]).filling(item) })
        default: return value
        }
    }
}
