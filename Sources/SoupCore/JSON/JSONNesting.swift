// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The arrays and objects that are open at a position of a text, outermost first: one bit for each.
///
/// It replaces the call stack, so that the depth of a text uses no stack. The first 64 levels allocate no memory.
struct JSONNesting {
    private(set) var depth = 0
    /// The innermost levels: the lowest bit is the innermost one, and is set for an object.
    private var bits: UInt64 = 0
    /// The outer levels, 64 in each element.
    private var outer: [UInt64] = []

    /// Whether the innermost container is an object.
    @inline(__always)
    var isObject: Bool { bits & 1 != 0 }

    /// The byte that closes the innermost container.
    @inline(__always)
    var close: UInt8 { isObject ? UInt8(ascii: "}") : UInt8(ascii: "]") }

    @inline(__always)
    mutating func push(isObject: Bool) {
        if depth & 63 == 0, depth > 0 { outer.append(bits) }
        bits = bits << 1 | (isObject ? 1 : 0)
        depth += 1
    }

    @inline(__always)
    mutating func pop() {
        depth -= 1
        bits >>= 1
        if depth & 63 == 0, let around = outer.popLast() { bits = around }
    }
}
