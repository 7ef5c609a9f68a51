// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A visitor that converts a value part by part, from the inside out.
///
/// The parts of all open containers are in one array for values and one for keys: closing a container removes its own
/// from the end.
struct JSONBuilder<Part>: JSONVisitor {
    private var values: [Part] = []
    private var keys: [String] = []
    /// The number of values and keys when each container was opened.
    private var starts: [(values: Int, keys: Int)] = []

    private let makeScalar: (JSONField.Kind, Range<Int>, borrowing Span<UInt8>) -> Part
    private let makeArray: ([Part]) -> Part
    private let makeObject: ([(key: String, value: Part)]) -> Part

    init(
        scalar: @escaping (JSONField.Kind, Range<Int>, borrowing Span<UInt8>) -> Part,
        array: @escaping ([Part]) -> Part, object: @escaping ([(key: String, value: Part)]) -> Part
    ) {
        makeScalar = scalar
        makeArray = array
        makeObject = object
    }

    /// The result for the whole value; nil before the walk has ended.
    var result: Part? { values.first }

    mutating func scalar(_ kind: JSONField.Kind, _ range: Range<Int>, in bytes: borrowing Span<UInt8>) {
        values.append(makeScalar(kind, range, bytes))
    }

    mutating func key(_ range: Range<Int>, escaped: Bool, in bytes: borrowing Span<UInt8>) {
        keys.append(JSONEscapes.string(bytes, range))
    }

    mutating func open(isObject: Bool, at position: Int) { starts.append((values.count, keys.count)) }

    mutating func close(isObject: Bool) {
        guard let start = starts.popLast() else { return }
        // No slice may exist longer than its line: removing elements from an array that a slice shares would copy all
        // of it.
        let part =
            isObject
            ? makeObject(zip(keys[start.keys...], values[start.values...]).map { (key: $0, value: $1) })
            : makeArray(Array(values[start.values...]))
        values.removeLast(values.count - start.values)
        keys.removeLast(keys.count - start.keys)
        values.append(part)
    }
}

extension JSONEscapes {
    /// Returns the text of a validated string, given with its quotes.
    static func string(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) -> String {
        String(decoding: unescape(bytes, range.lowerBound + 1..<range.upperBound - 1), as: UTF8.self)
    }
}
