// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import CSoupZlib

/// Compresses and decompresses bodies with gzip (RFC 1952), by zlib.
enum Gzip {
    enum Failure: Error {
        /// The bytes are not gzip, or they end too early.
        case damaged
        /// The decompressed bytes exceed the limit.
        case tooLong
    }

    /// The size of the output buffer.
    private static let piece = 64 * 1024
    /// zlib's flag for the gzip format, added to the window size.
    private static let format: Int32 = 15 + 16

    /// Decompresses bytes: all members of the file in sequence, with their checksums verified.
    static func unpacked(_ bytes: [UInt8], limit: Int) throws(Failure) -> [UInt8] {
        var stream = z_stream()
        guard inflateInit2_(&stream, format, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw .damaged
        }
        defer { inflateEnd(&stream) }
        var input = bytes
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: piece)
        let failure = input.withUnsafeMutableBufferPointer { input -> Failure? in
            stream.next_in = input.baseAddress
            stream.avail_in = uInt(input.count)
            while true {
                let (status, count) = buffer.withUnsafeMutableBufferPointer { buffer in
                    stream.next_out = buffer.baseAddress
                    stream.avail_out = uInt(buffer.count)
                    let status = inflate(&stream, Z_NO_FLUSH)
                    return (status, buffer.count - Int(stream.avail_out))
                }
                guard output.count + count <= limit else { return .tooLong }
                output += buffer[..<count]
                switch status {
                case Z_OK where stream.avail_in > 0 || stream.avail_out == 0: continue
                case Z_STREAM_END where stream.avail_in == 0: return nil
                case Z_STREAM_END: if inflateReset(&stream) != Z_OK { return .damaged }
                default: return .damaged
                }
            }
        }
        if let failure { throw failure }
        return output
    }

    /// Compresses bytes; nil if there is not enough memory.
    static func packed(_ bytes: [UInt8]) -> [UInt8]? {
        var stream = z_stream()
        guard
            deflateInit2_(
                &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, format, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { return nil }
        defer { deflateEnd(&stream) }
        var input = bytes
        var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, uLong(bytes.count))))
        let status = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.next_in = input.baseAddress
                stream.avail_in = uInt(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = uInt(output.count)
                return deflate(&stream, Z_FINISH)
            }
        }
        guard status == Z_STREAM_END else { return nil }
        output.removeLast(Int(stream.avail_out))
        return output
    }

    /// Returns the CRC-32 of bytes.
    static func checksum(_ bytes: [UInt8]) -> UInt32 { UInt32(truncatingIfNeeded: crc32(0, bytes, uInt(bytes.count))) }
}
