// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A locator for the places of values in a JSON text by their paths.
///
/// It reads the text once, for the first place; the text must be valid JSON.
struct JSONLocator {
    /// The offsets of values by path text, `syncs[3].target.query`; the whole value has the empty path.
    private let offsets: [String: Int]
    /// A key that its object contains more than once.
    struct RepeatedKey {
        var path: String
        /// The offset of the later key.
        var offset: Int
        /// The offset of the value that is used, which is the first.
        var firstOffset: Int
        /// Whether both values are equal as JSON.
        var isSameValue: Bool
    }

    /// The keys that are repeated, in the order of the text.
    let repeatedKeys: [RepeatedKey]

    init(_ bytes: [UInt8]) {
        var walk = Walk()
        walk.run(bytes[...])
        let offsets = walk.offsets
        self.offsets = offsets
        repeatedKeys = walk.repetitions.map { repetition in
            let first = offsets[repetition.path] ?? repetition.value
            return RepeatedKey(
                path: repetition.path, offset: repetition.key, firstOffset: first,
                isSameValue: Self.value(at: first, in: bytes[...]) == Self.value(at: repetition.value, in: bytes[...]))
        }
    }

    /// Returns the value that starts at an offset of a valid text.
    private static func value(at offset: Int, in bytes: ArraySlice<UInt8>) -> JSONValue? {
        var position = offset
        return try? JSONValue.parse(bytes.span, &position, depth: 0)
    }

    /// Returns the offset of the value at `path`, or of the nearest existing value around it.
    func offset(of path: String) -> Int {
        var path = path[...]
        while true {
            if let offset = offsets[String(path)] { return offset }
            guard let cut = path.lastIndex(where: { $0 == "." || $0 == "[" }) else { return offsets[""] ?? 0 }
            path = path[..<cut]
        }
    }
}

/// A visitor of a valid text that records where each value starts.
private struct Walk: JSONVisitor {
    /// An open container.
    ///
    /// Without a path, no value in it has a place.
    private struct Container {
        let path: String?
        let isObject: Bool
        var keys: Set<String> = []
        var index = 0

        /// The path of the next element of an array.
        var element: String? { isObject ? nil : path.map { "\($0)[\(index)]" } }
    }

    var offsets: [String: Int] = [:]
    /// The repeated keys: the path, and the offsets of the key and of its value.
    var repetitions: [(path: String, key: Int, value: Int)] = []
    private var containers: [Container] = []
    /// The path of the member whose key was read.
    private var member: String?
    /// The path and the offset of the key that was read, if its object already has a key with that name.
    private var repeated: (path: String, key: Int)?

    mutating func run(_ bytes: ArraySlice<UInt8>) {
        let span = bytes.span
        var position = 0
        JSONGrammar.skipWhitespace(span, &position)
        try? JSONGrammar.walk(span, &position, depth: 0, with: &self)
    }

    mutating func scalar(_ kind: JSONField.Kind, _ range: Range<Int>, in bytes: borrowing Span<UInt8>) {
        _ = note(range.lowerBound)
    }

    mutating func open(isObject: Bool, at position: Int) {
        containers.append(Container(path: note(position), isObject: isObject))
    }

    mutating func close(isObject: Bool) { _ = containers.popLast() }

    mutating func key(_ range: Range<Int>, escaped: Bool, in bytes: borrowing Span<UInt8>) {
        member = nil
        guard let last = containers.indices.last, let path = containers[last].path else { return }
        let name = JSONEscapes.string(bytes, range)
        let place = path.isEmpty ? name : "\(path).\(name)"
        // If several members have the same name, the first one is used.
        if containers[last].keys.insert(name).inserted {
            member = place
        } else {
            repeated = (place, range.lowerBound)
        }
    }

    /// Records where the next value starts, and returns its path.
    private mutating func note(_ position: Int) -> String? {
        if let key = repeated {
            repetitions.append((key.path, key.key, position))
            repeated = nil
        }
        let path: String?
        if let last = containers.indices.last {
            path = member ?? containers[last].element
            containers[last].index += 1
            member = nil
        } else {
            path = ""
        }
        if let path, offsets[path] == nil { offsets[path] = position }
        return path
    }
}
