// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A set of paths, prepared so that all of them are taken from an object in one pass.
///
/// Prepare it once and use it for many records. Paths may repeat, and one may be the beginning of another. Of a
/// repeated key the first one is used, as in SQLite's `json_extract`.
public struct JSONProjection: Sendable {
    /// The paths as given; ``JSONProjected/fields`` are in the same order.
    public let paths: [JSONPath]
    let tree: JSONPathTree

    /// Creates a projection: sorts the keys of all paths into a tree, which costs more than using it once.
    public init(_ paths: [JSONPath]) {
        self.paths = paths
        tree = JSONPathTree(paths)
    }
}

/// The values that a ``JSONProjection`` took from one record.
///
/// Keep it and pass it again: its memory is reused.
public struct JSONProjected: Sendable {
    /// The fields, one for each path, in the order of the paths.
    public internal(set) var fields: [JSONField] = []
    /// The arrays that were collected by paths through arrays, as JSON text.
    ///
    /// A field of kind `collected` contains the index.
    public internal(set) var collected: [[UInt8]] = []
    /// Members whose key occurred before at a path of the projection, as offsets like those of ``fields``.
    ///
    /// Code that edits the text must remove these together with the first one. Otherwise the next reader finds them in
    /// its place.
    public internal(set) var repeated: [(path: Int, member: Range<Int>)] = []

    /// Creates an empty result, for a projection to fill.
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
