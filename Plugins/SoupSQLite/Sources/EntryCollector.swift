// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Collects the entries of a result with their texts in shared memory blocks, to reduce allocations.
///
/// An entry keeps the whole block of its text in memory, so blocks are small.
struct EntryCollector {
    private var entries: [SoupEntry] = []
    private var block: [UInt8] = []
    /// The entries whose texts are in the block, and the end of each text.
    private var waiting: [(id: Int64, lastModified: Int64, end: Int)] = []

    /// The maximum number of bytes in a block; a longer text gets a block of its own.
    private static let blockSize = 32 * 1024

    /// The expected maximum number of entries.
    private let limit: Int

    /// - Parameter limit: the maximum number of entries.
    init(limit: Int = 1) { self.limit = limit }

    /// The number of entries.
    var count: Int { entries.count + waiting.count }

    /// Appends the entry of a row.
    mutating func append(id: Int64, lastModified: Int64, text: UnsafeBufferPointer<UInt8>) {
        if block.count + text.count > Self.blockSize || waiting.isEmpty {
            finishBlock()
            // Assumes that the following texts have the same length.
            let expected = max(1, min(limit - entries.count, 2 * Self.blockSize / max(1, text.count)))
            waiting.reserveCapacity(expected)
            block.reserveCapacity(min(max(Self.blockSize, text.count), expected * text.count))
        }
        block.append(contentsOf: text)
        waiting.append((id, lastModified, block.count))
    }

    /// Returns all entries, in the order in which they were appended.
    mutating func finish() -> [SoupEntry] {
        finishBlock()
        return entries
    }

    private mutating func finishBlock() {
        let texts = block
        var start = 0
        if entries.isEmpty { entries.reserveCapacity(min(limit, 2 * waiting.count)) }
        for (id, lastModified, end) in waiting {
            entries.append(
                SoupEntry(id: id, version: lastModified, stored: JSONText(trusted: texts[start..<end])))
            start = end
        }
        waiting.removeAll(keepingCapacity: true)
        block = []
    }
}

extension EntryCollector {
    /// Appends the entry of a row whose columns are id, lastModified and soup.
    mutating func append(_ row: RawStatement) {
        append(id: row.integer(0), lastModified: row.integer(1), text: row.bytes(2))
    }
}
