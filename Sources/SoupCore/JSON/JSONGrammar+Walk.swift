// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A type that receives the parts of a value while the grammar reads it.
///
/// Offsets count from the start of the bytes, which are passed with each part because a visitor cannot store a span.
protocol JSONVisitor {
    /// Visits a string, a number, a boolean or null.
    mutating func scalar(_ kind: JSONField.Kind, _ range: Range<Int>, in bytes: borrowing Span<UInt8>)
    /// Visits the key of the member whose value comes next, with its quotes.
    mutating func key(_ range: Range<Int>, escaped: Bool, in bytes: borrowing Span<UInt8>)
    /// Visits the start of an array or object; an empty one is opened and closed.
    mutating func open(isObject: Bool, at position: Int)
    /// Visits the end of the innermost container.
    mutating func close(isObject: Bool)
}

extension JSONGrammar {
    /// Skips any value and passes its parts to a visitor, in the order of the text.
    ///
    /// The use of the stack does not grow with the depth of the value.
    ///
    /// - Parameter depth: the number of arrays and objects around the value.
    @inline(__always)
    static func walk<Visitor: JSONVisitor>(
        _ bytes: borrowing Span<UInt8>, _ position: inout Int, depth: Int, with visitor: inout Visitor
    ) throws(JSONError) {
        var nesting = JSONNesting()
        while true {
            guard position < bytes.count else { throw JSONError(.unexpectedEnd, at: position) }
            let start = position
            let isObject = bytes[start] == UInt8(ascii: "{")
            if isObject || bytes[start] == UInt8(ascii: "[") {
                let close = isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
                let hasParts = try openContainer(bytes, &position, depth: depth + nesting.depth, close: close)
                visitor.open(isObject: isObject, at: start)
                if hasParts {
                    nesting.push(isObject: isObject)
                    if isObject { try walkKey(bytes, &position, with: &visitor) }
                    continue
                }
                visitor.close(isObject: isObject)
            } else {
                let kind = try skipScalar(bytes, &position)
                visitor.scalar(kind, start..<position, in: bytes)
            }
            // After a value: close the containers that end here, up to the one that has another part.
            while true {
                guard nesting.depth > 0 else { return }
                if try anotherFollows(bytes, &position, close: nesting.close) { break }
                visitor.close(isObject: nesting.isObject)
                nesting.pop()
            }
            if nesting.isObject { try walkKey(bytes, &position, with: &visitor) }
        }
    }

    @inline(__always)
    private static func walkKey<Visitor: JSONVisitor>(
        _ bytes: borrowing Span<UInt8>, _ position: inout Int, with visitor: inout Visitor
    ) throws(JSONError) {
        let start = position
        let escaped = try skipKey(bytes, &position)
        visitor.key(start..<position, escaped: escaped, in: bytes)
        try skipColon(bytes, &position)
    }
}

/// A visitor that does nothing: for values that are skipped.
struct JSONSkipping: JSONVisitor {
    @inline(__always)
    mutating func scalar(_ kind: JSONField.Kind, _ range: Range<Int>, in bytes: borrowing Span<UInt8>) {}
    @inline(__always)
    mutating func key(_ range: Range<Int>, escaped: Bool, in bytes: borrowing Span<UInt8>) {}
    @inline(__always)
    mutating func open(isObject: Bool, at position: Int) {}
    @inline(__always)
    mutating func close(isObject: Bool) {}
}
