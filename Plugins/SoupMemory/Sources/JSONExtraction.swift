// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A path as SQLite's `json_extract` interprets it: keys separated by dots, with optional subscripts `[2]` or `[#-1]`.
///
/// Arrays are not traversed: a key in an array returns nothing.
struct JSONExtraction: Sendable {
    private enum Step: Sendable {
        case key(String)
        case element(Int)
        /// An index from the end of the array: 1 is the last element.
        case fromEnd(Int)
    }

    private var steps: [Step] = []

    /// - Throws: ``SoupError`` with `sql`, as the `sqlite` backend, for an invalid path.
    init(_ path: JSONPath) throws {
        let bad = SoupError(.sql, "\"\(path)\" cannot be a json1 path", hint: "Use another kind of index.")
        for key in path.keys {
            let name = key.prefix { $0 != "[" }
            let isQuoted = name.count > 1 && name.hasPrefix("\"") && name.hasSuffix("\"")
            guard !name.isEmpty, isQuoted || !name.hasPrefix("\"") else { throw bad }
            steps.append(.key(String(isQuoted ? name.dropFirst().dropLast() : name)))
            var rest = key[name.endIndex...]
            while rest.first == "[" {
                guard let close = rest.firstIndex(of: "]"), let step = Self.subscripted(rest[..<close].dropFirst())
                else { throw bad }
                steps.append(step)
                rest = rest[rest.index(after: close)...]
            }
            guard rest.isEmpty else { throw bad }
        }
        if steps.isEmpty { throw bad }
    }

    private static func subscripted(_ text: Substring) -> Step? {
        if text == "#" { return .fromEnd(0) }
        let digits = text.hasPrefix("#-") ? text.dropFirst(2) : text
        guard !digits.isEmpty, digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
        let number = Int(digits) ?? .max
        return digits.count == text.count ? .element(number) : .fromEnd(number)
    }

    /// Returns the JSON at the path in an entry; nil if there is none.
    func json(in entry: JSONText) -> ArraySlice<UInt8>? {
        steps.reduce(entry.bytes) { (json: ArraySlice<UInt8>?, step) in
            guard let json else { return nil }
            switch step {
            case .key(let key): return JSONParts.member(key, of: json)
            case .element(let index):
                let elements = JSONParts.elements(of: json)
                return elements.indices.contains(index) ? elements[index] : nil
            case .fromEnd(let distance):
                let elements = JSONParts.elements(of: json)
                return distance > 0 && distance <= elements.count ? elements[elements.count - distance] : nil
            }
        }
    }
}
