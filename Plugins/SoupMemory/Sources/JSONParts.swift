// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Splits valid JSON into parts, one level at a time, as slices of its bytes.
enum JSONParts {
    /// A member of an object.
    struct Member {
        /// The key, with its escapes resolved.
        var key: [UInt8]
        /// The range from the quote of the key to the end of the value, relative to the start of the object.
        var range: Range<Int>
        var value: ArraySlice<UInt8>
    }

    /// Returns the members of an object, in order; empty for other values.
    static func members(of object: ArraySlice<UInt8>) -> [Member] {
        guard object.first == UInt8(ascii: "{") else { return [] }
        var members: [Member] = []
        var position = skipSpace(object, object.startIndex + 1)
        while position < object.endIndex, object[position] == UInt8(ascii: "\"") {
            let start = position
            let keyEnd = skipValue(object, start)
            let valueStart = skipSpace(object, skipSpace(object, keyEnd) + 1)
            let end = skipValue(object, valueStart)
            members.append(
                Member(
                    key: text(of: object[start..<keyEnd]),
                    range: start - object.startIndex..<end - object.startIndex, value: object[valueStart..<end]))
            position = skipSpace(object, skipSpace(object, end) + 1)
        }
        return members
    }

    /// Returns the elements of an array; empty for other values.
    static func elements(of array: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        guard array.first == UInt8(ascii: "[") else { return [] }
        var elements: [ArraySlice<UInt8>] = []
        var position = skipSpace(array, array.startIndex + 1)
        while position < array.endIndex, array[position] != UInt8(ascii: "]") {
            let end = skipValue(array, position)
            elements.append(array[position..<end])
            position = skipSpace(array, skipSpace(array, end) + 1)
        }
        return elements
    }

    /// Returns the value of a key in an object: the first one if there are several.
    static func member(_ key: String, of object: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let key = Array(key.utf8)
        return members(of: object).first { $0.key == key }?.value
    }

    /// An array on the path that is being traversed, with the values found in it so far.
    private struct Traversed {
        let keys: ArraySlice<String>
        var rest: ArraySlice<ArraySlice<UInt8>>
        var found: [[UInt8]] = []
    }

    /// Returns the value at a path; arrays on the path are traversed, and the values found in one form an array.
    static func value(at keys: ArraySlice<String>, in value: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var open: [Traversed] = []
        var next: (keys: ArraySlice<String>, value: ArraySlice<UInt8>) = (keys, value)
        while true {
            var (keys, value): (ArraySlice<String>, ArraySlice<UInt8>?) = next
            while let key = keys.first, let object = value, object.first == UInt8(ascii: "{") {
                value = member(key, of: object)
                keys.removeFirst()
            }
            if !keys.isEmpty, let array = value {
                open.append(Traversed(keys: keys, rest: elements(of: array)[...]))
            } else {
                guard let last = open.indices.last else { return value }
                if let value { open[last].found.append(Array(value)) }
            }
            // Arrays that are complete pass their values to the enclosing array.
            while let last = open.indices.last, open[last].rest.isEmpty {
                let found = open.removeLast().found
                let list = found.isEmpty ? nil : list(of: found)
                guard let outer = open.indices.last else { return list?[...] }
                if let list { open[outer].found.append(list) }
            }
            guard let last = open.indices.last, let element = open[last].rest.popFirst() else { return nil }
            next = (open[last].keys, element)
        }
    }

    /// Returns the JSON array of values.
    private static func list(of values: [[UInt8]]) -> [UInt8] {
        Array("[".utf8) + Array(values.joined(separator: Array(",".utf8))) + Array("]".utf8)
    }

    /// Returns the text of a JSON string.
    static func text(of string: ArraySlice<UInt8>) -> [UInt8] { Array((JSONText(trusted: string).string ?? "").utf8) }

    /// Returns JSON without the white space between its parts.
    ///
    /// - Parameter plain: whether strings are rewritten without unnecessary escapes.
    static func compact(_ json: ArraySlice<UInt8>, plain: Bool) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(json.count)
        var position = json.startIndex
        while position < json.endIndex {
            let byte = json[position]
            if byte == UInt8(ascii: "\"") {
                let end = skipValue(json, position)
                if plain {
                    JSONEscapes.appendQuoted(text(of: json[position..<end]), to: &output)
                } else {
                    output += json[position..<end]
                }
                position = end
            } else {
                if byte > 0x20 { output.append(byte) }
                position += 1
            }
        }
        return output
    }

    private static func skipSpace(_ json: ArraySlice<UInt8>, _ start: Int) -> Int {
        json[min(start, json.endIndex)...].firstIndex { $0 > 0x20 } ?? json.endIndex
    }

    /// Returns the position after the value that begins at `start`.
    private static func skipValue(_ json: ArraySlice<UInt8>, _ start: Int) -> Int {
        var depth = 0
        var position = start
        while position < json.endIndex {
            switch json[position] {
            case UInt8(ascii: "\""):
                position += 1
                while position < json.endIndex, json[position] != UInt8(ascii: "\"") {
                    position += json[position] == UInt8(ascii: "\\") ? 2 : 1
                }
                if depth == 0 { return min(position + 1, json.endIndex) }
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return position }
                depth -= 1
                if depth == 0 { return position + 1 }
            case UInt8(ascii: ","), UInt8(ascii: ":"), 0...0x20:
                if depth == 0 { return position }
            default: break
            }
            position += 1
        }
        return json.endIndex
    }
}
