// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Gathers the entries of a result with their texts side by side, so that rows share allocations.
///
/// Who keeps one entry keeps the block that its text lies in, so blocks stay small.
struct EntryCollector {
    private var entries: [SoupEntry] = []
    private var block: [UInt8] = []
    /// The entries whose texts are in the block, and where each text ends.
    private var waiting: [(id: Int64, lastModified: Int64, end: Int)] = []

    /// The bytes after which a block is full; a text that is longer has one of its own.
    private static let blockSize = 32 * 1024

    /// How many entries come at most, as far as that is known.
    private let limit: Int

    /// - Parameter limit: how many entries come at most.
    init(limit: Int = 1) { self.limit = limit }

    /// How many entries there are.
    var count: Int { entries.count + waiting.count }

    /// Takes the entry of a row.
    mutating func append(id: Int64, lastModified: Int64, text: UnsafeBufferPointer<UInt8>) {
        if block.count + text.count > Self.blockSize || waiting.isEmpty {
            finishBlock()
            // As if those that follow were all like this one.
            let expected = max(1, min(limit - entries.count, 2 * Self.blockSize / max(1, text.count)))
            waiting.reserveCapacity(expected)
            block.reserveCapacity(min(max(Self.blockSize, text.count), expected * text.count))
        }
        block.append(contentsOf: text)
        waiting.append((id, lastModified, block.count))
    }

    /// All entries, in the order in which they were taken.
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
                SoupEntry(id: id, lastModified: lastModified, stored: JSONText(trusted: texts[start..<end])))
            start = end
        }
        waiting.removeAll(keepingCapacity: true)
        block = []
    }
}

extension EntryCollector {
    /// Takes the entry of a row whose columns are id, lastModified and soup.
    mutating func append(_ row: RawStatement) {
        append(id: row.integer(0), lastModified: row.integer(1), text: row.bytes(2))
    }
}
