// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A set of paths, prepared so that all of them are taken from an object in one pass.
///
/// Prepare it once and use it for many records. Paths may repeat and one may be the beginning of another. When a key
/// occurs twice in an object the first one counts, as in SQLite's `json_extract`.
public struct JSONProjection: Sendable {
    /// As they were given; ``JSONProjected/fields`` are in the same order.
    public let paths: [JSONPath]
    let tree: JSONPathTree

    /// Sorts the keys of all paths into a tree, which costs more than using it once.
    public init(_ paths: [JSONPath]) {
        self.paths = paths
        tree = JSONPathTree(paths)
    }
}

/// What a ``JSONProjection`` took from one record.
///
/// Keep one and pass it again: its memory is reused.
public struct JSONProjected: Sendable {
    /// One field a path, in the order of the paths.
    public internal(set) var fields: [JSONField] = []
    /// The arrays gathered by paths that lead through arrays, as JSON text; a field of kind `collected` names its
    /// index.
    public internal(set) var collected: [[UInt8]] = []
    /// Members whose key had been met before at a path of the projection, as offsets like those of ``fields``.
    ///
    /// Editors of the text must take these out together with the first one, or the next reader finds them in its place.
    public internal(set) var repeated: [(path: Int, member: Range<Int>)] = []

    /// Empty until a projection fills it.
    public init() {}

    mutating func reset(count: Int) {
        if fields.count == count {
            fields.withUnsafeMutableBufferPointer { $0.update(repeating: .missing) }
        } else {
            fields = Array(repeating: .missing, count: count)
        }
        collected.removeAll(keepingCapacity: true)
        repeated.removeAll(keepingCapacity: true)
    }
}
