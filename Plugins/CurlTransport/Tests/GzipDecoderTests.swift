// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import CSoupZlib
import Testing

@testable import CurlTransport

@Suite struct GzipDecoderTests {
    /// Returns the compressed form of `count` zero bytes.
    static func compressed(zeros count: Int) throws -> [UInt8] {
        var stream = z_stream()
        let status = deflateInit2_(
            &stream, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        try #require(status == Z_OK)
        defer { deflateEnd(&stream) }
        var input = [UInt8](repeating: 0, count: 1 << 20)
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var output: [UInt8] = []
        var left = count
        while true {
            let size = min(left, input.count)
            left -= size
            let status = input.withUnsafeMutableBufferPointer { input in
                stream.next_in = input.baseAddress
                stream.avail_in = uInt(size)
                var status = Z_OK
                repeat {
                    status = buffer.withUnsafeMutableBufferPointer { buffer in
                        stream.next_out = buffer.baseAddress
                        stream.avail_out = uInt(buffer.count)
                        return deflate(&stream, left == 0 ? Z_FINISH : Z_NO_FLUSH)
                    }
                    output += buffer[..<(buffer.count - Int(stream.avail_out))]
                } while stream.avail_out == 0
                return status
            }
            if status == Z_STREAM_END { return output }
        }
    }

    /// Decodes bytes in pieces of a size; a receiver that is full after `capacity` bytes is emptied each time.
    private func decode(_ bytes: [UInt8], by size: Int, capacity: Int = .max) throws -> (count: Int, isComplete: Bool) {
        let decoder = try #require(GzipDecoder())
        var count = 0
        for start in stride(from: 0, to: bytes.count, by: size) {
            let piece = Array(bytes[start..<min(start + size, bytes.count)])
            var used = 0
            while true {
                var held = 0
                let outcome = piece[used...].withUnsafeBytes { piece in
                    decoder.decode(piece) { output in
                        held += output.count
                        return held < capacity
                    }
                }
                count += held
                guard case .stopped(let position) = outcome else {
                    #expect(outcome == .done)
                    break
                }
                #expect(held < capacity + GzipDecoder.step)
                used += position
            }
        }
        return (count, decoder.isComplete)
    }

    @Test(arguments: [1, 7, 1000, 16_384], [100_000, .max]) func `Pieces of any size are decoded`(
        size: Int, capacity: Int
    )
        throws
    {
        let bytes = try Self.compressed(zeros: 5_000_000)
        let result = try decode(bytes, by: size, capacity: capacity)
        #expect(result.count == 5_000_000)
        #expect(result.isComplete)
        #expect(try decode(bytes.dropLast(), by: size).isComplete == false)
        let two = try decode(bytes + bytes, by: size, capacity: capacity)
        #expect(two.count == 10_000_000)
        #expect(two.isComplete)
    }

    @Test func `Damaged bytes are rejected`() throws {
        var bytes = try Self.compressed(zeros: 100_000)
        bytes[bytes.count - 6] ^= 1
        let decoder = try #require(GzipDecoder())
        #expect(bytes.withUnsafeBytes { decoder.decode($0) { _ in true } } == .damaged)
        let other = try #require(GzipDecoder())
        #expect(Array("plain".utf8).withUnsafeBytes { other.decode($0) { _ in true } } == .damaged)
        #expect(!other.isComplete)
    }
}
