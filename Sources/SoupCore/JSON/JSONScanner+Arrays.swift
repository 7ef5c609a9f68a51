// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension JSONScanner {
    /// Follows the rest of every path below `node` through each element of an array, and collects the values found.
    ///
    /// The array begins at `start`. The result is a new array that keeps the nesting; if no value is found, it is
    /// missing. The array has been validated; this slow way is used only if a path leads through an array.
    static func collectBelow(
        _ node: Int, of tree: JSONPathTree, in bytes: borrowing Span<UInt8>, from start: Int,
        into result: inout JSONProjected
    ) throws(JSONError) {
        var pending: [(node: Int, keys: [[UInt8]])] = tree.nodes[node].children.map { ($0, [tree.key(of: $0)]) }
        while let (current, keys) = pending.popLast() {
            pending += tree.nodes[current].children.map { ($0, keys + [tree.key(of: $0)]) }
            for path in tree.paths(endingAt: current) where result.fields[path].isMissing {
                var position = start
                var collector = JSONCollector(keys: keys)
                guard try collector.collect(bytes, &position) else { continue }
                result.fields[path] = JSONField(kind: .collected, start: result.collected.count, end: 0)
                result.collected.append(collector.text)
            }
        }
    }
}

/// A collector that follows one path through the elements of arrays at any depth.
private struct JSONCollector {
    /// An open container.
    ///
    /// Its values are searched for the keys from `next` on.
    private struct Container {
        let isArray: Bool
        let next: Int
        /// The start of the text of the container, and of its current element.
        let mark: Int
        var element: Int
        var found = false
    }

    let keys: [[UInt8]]
    private(set) var text: [UInt8] = []
    private var open: [Container] = []

    init(keys: [[UInt8]]) { self.keys = keys }

    /// Writes the values that the keys lead to from `position`, and skips that value; returns false if there are none.
    mutating func collect(
        _ bytes: borrowing Span<UInt8>, _ position: inout Int
    ) throws(JSONError) -> Bool {
        while true {
            var found: Bool? = try enter(bytes, &position)
            while let result = found {
                guard var container = open.popLast() else { return result }
                if result { container.found = true }
                found =
                    container.isArray
                    ? try nextElement(bytes, &position, of: &container, wasFound: result)
                    : try nextMember(bytes, &position, of: &container)
            }
        }
    }

    /// Reads the value at `position`; returns nil for a container whose parts must be read now.
    private mutating func enter(
        _ bytes: borrowing Span<UInt8>, _ position: inout Int
    ) throws(JSONError) -> Bool? {
        let next = open.last.map { $0.next + ($0.isArray ? 0 : 1) } ?? 0
        guard next < keys.count else {
            let start = position
            _ = try JSONGrammar.skipValue(bytes, &position, depth: 0)
            for index in start..<position { text.append(bytes[index]) }
            return true
        }
        let container = Container(
            isArray: bytes[position] == UInt8(ascii: "["), next: next, mark: text.count, element: text.count + 1)
        if container.isArray {
            guard try JSONGrammar.openContainer(bytes, &position, depth: 0, close: UInt8(ascii: "]")) else {
                return false
            }
            text.append(UInt8(ascii: "["))
            open.append(container)
            return nil
        }
        if bytes[position] == UInt8(ascii: "{") {
            guard try JSONGrammar.openContainer(bytes, &position, depth: 0, close: UInt8(ascii: "}")) else {
                return false
            }
            return try search(bytes, &position, in: container)
        }
        _ = try JSONGrammar.skipValue(bytes, &position, depth: 0)
        return false
    }

    /// Continues after an element: returns nil to read another one, else whether the array contains any values.
    private mutating func nextElement(
        _ bytes: borrowing Span<UInt8>, _ position: inout Int, of container: inout Container, wasFound: Bool
    ) throws(JSONError) -> Bool? {
        if !wasFound { text.removeLast(text.count - container.element) }
        if try JSONGrammar.anotherFollows(bytes, &position, close: UInt8(ascii: "]")) {
            container.element = text.count
            if container.found { text.append(UInt8(ascii: ",")) }
            open.append(container)
            return nil
        }
        if container.found {
            text.append(UInt8(ascii: "]"))
        } else {
            text.removeLast(text.count - container.mark)
        }
        return container.found
    }

    /// Continues after the value of a member with the key: returns nil to read the next one with it.
    private mutating func nextMember(
        _ bytes: borrowing Span<UInt8>, _ position: inout Int, of container: inout Container
    ) throws(JSONError) -> Bool? {
        guard try JSONGrammar.anotherFollows(bytes, &position, close: UInt8(ascii: "}")) else { return container.found }
        return try search(bytes, &position, in: container)
    }

    /// Skips members up to the value of one with the key (nil), or to the end of the object.
    ///
    /// The first one that leads to a value is used.
    private mutating func search(
        _ bytes: borrowing Span<UInt8>, _ position: inout Int, in container: Container
    ) throws(JSONError) -> Bool? {
        repeat {
            let start = position + 1
            let escaped = try JSONGrammar.skipKey(bytes, &position)
            let end = position - 1
            try JSONGrammar.skipColon(bytes, &position)
            if !container.found, isKey(keys[container.next], at: start..<end, in: bytes, escaped: escaped) {
                open.append(container)
                return nil
            }
            _ = try JSONGrammar.skipValue(bytes, &position, depth: 0)
        } while try JSONGrammar.anotherFollows(bytes, &position, close: UInt8(ascii: "}"))
        return container.found
    }

    private func isKey(
        _ key: [UInt8], at range: Range<Int>, in bytes: borrowing Span<UInt8>, escaped: Bool
    ) -> Bool {
        if escaped { return JSONEscapes.unescape(bytes, range) == key }
        guard range.count == key.count else { return false }
        return bytes.extracting(range).withUnsafeBufferPointer { $0.elementsEqual(key) }
    }
}
