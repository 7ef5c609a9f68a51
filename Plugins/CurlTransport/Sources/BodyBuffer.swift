// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// Collects a body in memory.
///
/// A body of unknown length is kept in blocks until it is complete: one array would be copied while it grows, and use
/// twice the memory of the body when it does.
struct BodyBuffer {
    private static let blockSize = 1 << 20

    private var blocks: [[UInt8]] = []
    private var last: [UInt8] = []
    private(set) var count = 0

    /// Reserves space for a body of known length; memory is used only when the bytes arrive.
    mutating func expect(_ length: Int) { last.reserveCapacity(length) }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        if last.count + bytes.count > max(last.capacity, Self.blockSize) {
            blocks.append(last)
            last = []
            last.reserveCapacity(max(Self.blockSize, bytes.count))
        }
        last.append(contentsOf: bytes)
        count += bytes.count
    }

    /// Returns the first bytes, at most `length` of them.
    func beginning(_ length: Int) -> [UInt8] { Array((blocks.first ?? last).prefix(length)) }

    /// Returns the whole body, and resets the buffer.
    mutating func take() -> [UInt8] {
        defer { self = BodyBuffer() }
        guard !blocks.isEmpty else { return last }
        var body: [UInt8] = []
        body.reserveCapacity(count)
        for index in blocks.indices {
            body += blocks[index]
            blocks[index] = []
        }
        body += last
        return body
    }
}
