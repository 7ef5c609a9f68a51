// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The keys of a projection's paths as a flat tree.
///
/// Nodes are plain numbers into shared arrays, so that walking the tree, which happens at every member of every record,
/// changes no reference counts.
struct JSONPathTree: Sendable {
    /// One key of one or more paths; node 0 is the root and has none.
    struct Node: Sendable {
        fileprivate var key: Range<Int> = 0..<0
        /// The nodes of the next keys, which are adjacent.
        fileprivate(set) var children: Range<Int> = 0..<0
        fileprivate var ends: Range<Int> = 0..<0
        /// Bits for the lengths and the first bytes of the children's keys: they exclude most of a record's keys.
        fileprivate var childLengths: UInt64 = 0
        fileprivate var childStarts: UInt64 = 0
    }

    let nodes: [Node]
    private let keyBytes: [UInt8]
    /// The positions of the paths that end at a node; each node has a range of them.
    private let ends: [Int]

    init(_ paths: [JSONPath]) {
        let pending = paths.enumerated().map { (position: $0, keys: $1.keys.map { Array($0.utf8) }[...]) }
        var nodes = [Node()]
        var keyBytes: [UInt8] = []
        var ends: [Int] = []
        var levels = [pending]
        // Breadth first: the paths through a node wait at its position until its children have theirs.
        var node = 0
        while node < nodes.count {
            let through = levels[node]
            let firstEnd = ends.count
            ends += through.filter(\.keys.isEmpty).map(\.position)
            nodes[node].ends = firstEnd..<ends.count
            let firstChild = nodes.count
            for (position, keys) in through {
                guard let key = keys.first else { continue }
                let rest = (position: position, keys: keys.dropFirst())
                if let known = (firstChild..<nodes.count).first(where: { keyBytes[nodes[$0].key] == key[...] }) {
                    levels[known].append(rest)
                } else {
                    nodes.append(Node(key: keyBytes.count..<keyBytes.count + key.count))
                    keyBytes += key
                    levels.append([rest])
                    nodes[node].childLengths |= Self.bit(ofLength: key.count)
                    nodes[node].childStarts |= Self.bit(ofStart: key.first ?? UInt8(ascii: "\""))
                }
            }
            nodes[node].children = firstChild..<nodes.count
            node += 1
        }
        self.nodes = nodes
        self.keyBytes = keyBytes
        self.ends = ends
    }

    /// Lengths from 64 on share their bits with smaller ones.
    @inline(__always)
    private static func bit(ofLength length: Int) -> UInt64 { 1 &<< UInt64(truncatingIfNeeded: length) }

    /// An empty key starts with its closing quote.
    @inline(__always)
    private static func bit(ofStart byte: UInt8) -> UInt64 { 1 &<< UInt64(byte) }

    /// Returns the positions of the paths that end at a node.
    func paths(endingAt node: Int) -> ArraySlice<Int> { ends[nodes[node].ends] }

    func key(of node: Int) -> [UInt8] { Array(keyBytes[nodes[node].key]) }

    @inline(__always)
    func hasChildren(_ node: Int) -> Bool { !nodes[node].children.isEmpty }

    /// Runs `body` with the position of each path that ends at a node.
    @inline(__always)
    func forEachPath(endingAt node: Int, _ body: (Int) -> Void) {
        for index in nodes[node].ends { body(ends[index]) }
    }

    /// Returns the child of `node` that a key names, or -1.
    ///
    /// The key's bytes are between its quotes, from `start` to `end`.
    @inline(__always)
    func child(
        of node: Int, keyIn bytes: borrowing Span<UInt8>, from start: Int, to end: Int, escaped: Bool
    ) -> Int {
        if escaped { return child(of: node, named: JSONEscapes.unescape(bytes, start..<end)) }
        let parent = nodes[node]
        guard parent.childLengths & Self.bit(ofLength: end - start) != 0,
            parent.childStarts & Self.bit(ofStart: bytes[start]) != 0
        else { return -1 }
        search: for child in parent.children {
            let key = nodes[child].key
            guard key.count == end - start else { continue }
            for index in 0..<key.count where keyBytes[key.lowerBound + index] != bytes[start + index] {
                continue search
            }
            return child
        }
        return -1
    }

    private func child(of node: Int, named key: [UInt8]) -> Int {
        nodes[node].children.first { keyBytes[nodes[$0].key] == key[...] } ?? -1
    }
}
