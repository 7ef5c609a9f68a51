// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A reader of JSON that does not build values: validates a text, slices a page's records and takes selected paths.
///
/// All of this happens in one pass. Offsets in results count bytes from the start of the given text. No byte outside it
/// is read, whatever the input: every text is either accepted completely or refused with a ``JSONError`` that contains
/// the position.
public enum JSONScanner {
    /// Checks that the bytes are exactly one JSON value; white space around it is allowed.
    ///
    /// - Throws: ``JSONError`` at the first invalid byte.
    /// - Returns: the value, without the white space around it.
    @discardableResult
    public static func validate(_ bytes: Span<UInt8>) throws(JSONError) -> JSONField {
        var position = 0
        JSONGrammar.skipWhitespace(bytes, &position)
        let start = position
        let kind = try JSONGrammar.skipValue(bytes, &position, depth: 0)
        let end = position
        try expectEnd(bytes, &position)
        return JSONField(kind: kind, start: start, end: end)
    }

    /// Takes the projection's paths from the object in `range`, and validates all of it.
    ///
    /// - Parameter result: filled with one field for each path; offsets count from the start of `bytes`, not of
    ///   `range`.
    /// - Throws: ``JSONError``; `.notAnObject` if the value is not an object.
    public static func project(
        _ projection: JSONProjection, from bytes: Span<UInt8>, in range: Range<Int>, into result: inout JSONProjected
    ) throws(JSONError) {
        result.reset(count: projection.paths.count)
        try check(range, in: bytes)
        let text = bytes.extracting(..<range.upperBound)
        var position = range.lowerBound
        let start = try startOfObject(text, &position)
        try projectObject(text, &position, at: 0, of: projection.tree, depth: 0, into: &result)
        for path in projection.tree.paths(endingAt: 0) {
            result.fields[path] = JSONField(kind: .object, start: start, end: position)
        }
        try expectEnd(text, &position)
    }

    /// Checks that a range is inside the bytes, whatever the caller passed.
    static func check(_ range: Range<Int>, in bytes: borrowing Span<UInt8>) throws(JSONError) {
        guard range.lowerBound >= 0, range.upperBound <= bytes.count else {
            throw JSONError(.unexpectedEnd, at: bytes.count)
        }
    }

    /// Skips white space, and returns the position of the object that begins there.
    static func startOfObject(_ text: borrowing Span<UInt8>, _ position: inout Int) throws(JSONError) -> Int {
        JSONGrammar.skipWhitespace(text, &position)
        guard position < text.count else { throw JSONError(.unexpectedEnd, at: position) }
        guard text[position] == UInt8(ascii: "{") else { throw JSONError(.notAnObject, at: position) }
        return position
    }

    static func expectEnd(_ bytes: borrowing Span<UInt8>, _ position: inout Int) throws(JSONError) {
        JSONGrammar.skipWhitespace(bytes, &position)
        guard position == bytes.count else { throw JSONError(.trailingBytes, at: position) }
    }
}

extension JSONScanner {
    /// An object that a path leads through, and the node whose members are read outside it.
    private struct OpenObject {
        let outer: Int
        let keyStart: Int
        let start: Int
    }

    /// Skips an object and records the members that the children of `node` name.
    static func projectObject(
        _ bytes: borrowing Span<UInt8>, _ position: inout Int, at node: Int, of tree: JSONPathTree, depth: Int,
        into result: inout JSONProjected
    ) throws(JSONError) {
        guard try JSONGrammar.openContainer(bytes, &position, depth: depth, close: UInt8(ascii: "}")) else { return }
        var node = node
        var openObjects: [OpenObject] = []
        while true {
            let keyStart = position
            let escaped = try JSONGrammar.skipKey(bytes, &position)
            let keyEnd = position - 1
            try JSONGrammar.skipColon(bytes, &position)
            let child = tree.child(of: node, keyIn: bytes, from: keyStart + 1, to: keyEnd, escaped: escaped)
            let start = position
            let inner = depth + openObjects.count + 1
            if child < 0 {
                _ = try JSONGrammar.skipValue(bytes, &position, depth: inner)
            } else if tree.hasChildren(child), position < bytes.count, bytes[position] == UInt8(ascii: "{") {
                if try JSONGrammar.openContainer(bytes, &position, depth: inner, close: UInt8(ascii: "}")) {
                    openObjects.append(OpenObject(outer: node, keyStart: keyStart, start: start))
                    node = child
                    continue
                }
                note(.object, range: start..<position, keyStart: keyStart, at: child, of: tree, in: &result)
            } else {
                try projectValue(
                    bytes, &position, keyStart: keyStart, at: child, of: tree, depth: inner, into: &result)
            }
            while try !JSONGrammar.anotherFollows(bytes, &position, close: UInt8(ascii: "}")) {
                guard let left = openObjects.popLast() else { return }
                note(
                    .object, range: left.start..<position, keyStart: left.keyStart, at: node, of: tree, in: &result)
                node = left.outer
            }
        }
    }

    /// Skips the value of a member that a path names or leads through.
    static func projectMember(
        _ bytes: borrowing Span<UInt8>, _ position: inout Int, keyStart: Int, at node: Int,
        of tree: JSONPathTree, depth: Int, into result: inout JSONProjected
    ) throws(JSONError) {
        let start = position
        guard tree.hasChildren(node), position < bytes.count, bytes[position] == UInt8(ascii: "{") else {
            return try projectValue(
                bytes, &position, keyStart: keyStart, at: node, of: tree, depth: depth, into: &result)
        }
        try projectObject(bytes, &position, at: node, of: tree, depth: depth, into: &result)
        note(.object, range: start..<position, keyStart: keyStart, at: node, of: tree, in: &result)
    }

    /// Skips a value without members to look for: paths end here, or continue through an array.
    private static func projectValue(
        _ bytes: borrowing Span<UInt8>, _ position: inout Int, keyStart: Int, at node: Int,
        of tree: JSONPathTree, depth: Int, into result: inout JSONProjected
    ) throws(JSONError) {
        let start = position
        let kind = try JSONGrammar.skipValue(bytes, &position, depth: depth)
        if kind == .array, tree.hasChildren(node) {
            try collectBelow(node, of: tree, in: bytes, from: start, into: &result)
        }
        note(kind, range: start..<position, keyStart: keyStart, at: node, of: tree, in: &result)
    }

    /// Records a value for the paths that end at a node, unless an earlier member of that name came first.
    @inline(__always)
    static func note(
        _ kind: JSONField.Kind, range: Range<Int>, keyStart: Int, at node: Int, of tree: JSONPathTree,
        in result: inout JSONProjected
    ) {
        tree.forEachPath(endingAt: node) { path in
            if result.fields[path].isMissing {
                result.fields[path] = JSONField(
                    kind: kind, start: range.lowerBound, end: range.upperBound, memberStart: keyStart)
            } else {
                result.repeated.append((path, keyStart..<range.upperBound))
            }
        }
    }
}
