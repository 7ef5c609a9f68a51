// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Encryption

@testable import SoupEncryption

/// A file in memory, whose writes can fail after a number of bytes.
final class MemoryRawFile: RawFile {
    var bytes: [UInt8] = []
    /// The number of bytes that can still be written; nil for no limit.
    var remainingBytes: Int?

    struct WasKilled: Error {}

    func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int {
        let start = min(Int(offset), bytes.count)
        let part = bytes[start..<min(bytes.count, start + buffer.count)]
        buffer.copyBytes(from: part)
        return part.count
    }

    func write(_ content: UnsafeRawBufferPointer, at offset: Int64) throws {
        let part = content.prefix(remainingBytes ?? content.count)
        if bytes.count < Int(offset) + part.count {
            bytes += [UInt8](repeating: 0, count: Int(offset) + part.count - bytes.count)
        }
        bytes.replaceSubrange(Int(offset)..<Int(offset) + part.count, with: part)
        remainingBytes = remainingBytes.map { $0 - part.count }
        if part.count < content.count { throw WasKilled() }
    }

    func size() throws -> Int64 { Int64(bytes.count) }

    func truncate(to size: Int64) throws {
        bytes =
            bytes.count >= size
            ? Array(bytes.prefix(Int(size))) : bytes + [UInt8](repeating: 0, count: Int(size) - bytes.count)
    }

    func sync() throws { if remainingBytes == 0 { throw WasKilled() } }
}

extension UnitFile {
    func content(_ range: Range<Int64>) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0xEE, count: range.count)
        let count = try bytes.withUnsafeMutableBytes { try read($0, at: range.lowerBound) }
        return Array(bytes.prefix(count))
    }

    func write(_ bytes: [UInt8], at offset: Int64) throws { try bytes.withUnsafeBytes { try write($0, at: offset) } }
}

#endif
