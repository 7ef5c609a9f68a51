// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Puts values of earlier answers in the place of `@{reference.path[0].field}`.
struct CompositeReferences {
    /// The bodies of earlier answers by their reference ids.
    let bodies: [String: JSONValue]

    func resolved(_ value: JSONValue) throws -> JSONValue {
        switch value {
        case .string(let text): return .string(try resolved(text))
        case .array(let values): return .array(try values.map { try resolved($0) })
        case .object(let object):
            return .object(JSONObject(try object.members.map { (key: $0.key, value: try resolved($0.value)) }))
        default: return value
        }
    }

    func resolved(_ text: String) throws -> String {
        var output: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let reference = Self.next(in: rest) {
            output += rest[..<reference.whole.lowerBound]
            output += try value(of: String(decoding: rest[reference.inner], as: UTF8.self)).utf8
            rest = rest[reference.whole.upperBound...]
        }
        return String(decoding: output + rest, as: UTF8.self)
    }

    /// The names that a text refers to.
    static func names(in text: some StringProtocol) -> [String] {
        var names: [String] = []
        var rest = Array(text.utf8)[...]
        while let reference = next(in: rest) {
            names.append(name(of: String(decoding: rest[reference.inner], as: UTF8.self)))
            rest = rest[reference.whole.upperBound...]
        }
        return names
    }

    /// The names that a value refers to, wherever in it.
    static func names(in value: JSONValue) -> [String] {
        switch value {
        case .string(let text): names(in: text)
        case .array(let values): values.flatMap { names(in: $0) }
        case .object(let object): object.members.flatMap { names(in: $0.value) }
        default: []
        }
    }

    /// The first reference, with and without its `@{` and `}`.
    private static func next(in text: ArraySlice<UInt8>) -> (whole: Range<Int>, inner: Range<Int>)? {
        guard let open = text.firstRange(of: Array("@{".utf8)),
            let close = text[open.upperBound...].firstIndex(of: UInt8(ascii: "}"))
        else { return nil }
        return (open.lowerBound..<close + 1, open.upperBound..<close)
    }

    private static func name(of reference: String) -> String {
        let bytes = reference.utf8.prefix { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "[") }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func value(of reference: String) throws -> String {
        let name = Self.name(of: reference)
        var current = bodies[name]
        for step in Self.steps(reference.utf8.dropFirst(name.utf8.count)) {
            switch step {
            case .key(let key):
                let members = current?.objectValue?.members ?? []
                current =
                    members.first { $0.key == key }?.value
                    ?? members.first {
                        $0.key.lowercased() == key.lowercased()
                    }?.value
            case .index(let index): current = current?[index]
            }
        }
        switch current {
        case .string(let text)?: return text
        case .int(let number)?: return String(number)
        case .double(let number)?: return "\(number)"
        case .number(let number)?: return "\(number.doubleValue)"
        case .bool(let value)?: return value ? "true" : "false"
        default:
            throw OrgError(
                400, "PROCESSING_HALTED",
                message: "Invalid reference specified. No value for \(reference) found in \(name)")
        }
    }

    private enum Step {
        case key(String)
        case index(Int)
    }

    private static func steps(_ path: Substring.UTF8View) -> [Step] {
        path.split { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "[") }.map { part in
            let text = String(decoding: part, as: UTF8.self)
            guard part.last == UInt8(ascii: "]") else { return .key(text) }
            return Int(String(decoding: part.dropLast(), as: UTF8.self)).map { .index($0) } ?? .key(text)
        }
    }
}
