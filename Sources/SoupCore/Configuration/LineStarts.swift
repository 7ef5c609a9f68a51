// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The starts of the lines of a text, so that many places in one text need only one count of its lines.
struct LineStarts {
    private let starts: [Int]
    private let count: Int

    init(_ text: [UInt8]) {
        starts = [0] + text.indices.filter { text[$0] == UInt8(ascii: "\n") }.map { $0 + 1 }
        count = text.count
    }

    /// Returns the line and column of a byte offset, as ``Place/init(file:offset:in:path:)`` does.
    func place(file: String?, offset: Int, path: String?) -> SoupError.Place {
        let offset = min(max(0, offset), count)
        var (low, high) = (0, starts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= offset { low = middle } else { high = middle }
        }
        return SoupError.Place(file: file, line: low + 1, column: offset - starts[low] + 1, path: path)
    }
}
