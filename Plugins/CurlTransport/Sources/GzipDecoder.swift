// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import CSoupZlib

/// Decompresses a body of the format gzip or zlib while it arrives, in steps of bounded size.
///
/// libcurl can decompress as well, but it accepts truncated bodies, so that rows of a CSV would be lost without an
/// error.
final class GzipDecoder {
    /// The result of a step.
    enum Outcome: Equatable {
        /// All bytes were read.
        case done
        /// The receiver accepts no more bytes for now: continue later, from the byte with this index.
        case stopped(at: Int)
        /// The bytes are not valid in the format.
        case damaged
    }

    /// The number of bytes that are decompressed at a time.
    static let step = 64 * 1024

    // zlib's state points back to the stream, which therefore must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: step, alignment: 1)
    private var isEmpty = true
    private var isAtEnd = false

    /// Returns nil if there is no memory.
    init?() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // 15 is the largest window; 32 recognises gzip and zlib by their first bytes.
        guard inflateInit2_(stream, 15 + 32, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            return nil
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deinitialize(count: 1)
        stream.deallocate()
        buffer.deallocate()
    }

    /// Whether the bytes so far are a complete body; an empty body is complete.
    var isComplete: Bool { isEmpty || isAtEnd }

    /// Decompresses the next bytes of the body.
    ///
    /// - Parameter receive: receives a piece of the output; returns false if it accepts no more for now.
    func decode(_ bytes: UnsafeRawBufferPointer, receive: (UnsafeRawBufferPointer) -> Bool) -> Outcome {
        if !bytes.isEmpty { isEmpty = false }
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = UInt32(bytes.count)
        while true {
            if isAtEnd {
                guard stream.pointee.avail_in > 0 else { return .done }
                // The body can consist of several concatenated members.
                guard inflateReset(stream) == Z_OK else { return .damaged }
                isAtEnd = false
            }
            stream.pointee.next_out = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
            stream.pointee.avail_out = UInt32(buffer.count)
            let status = inflate(stream, Z_NO_FLUSH)
            let isStuck = status == Z_BUF_ERROR && stream.pointee.avail_in > 0
            guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR, !isStuck else { return .damaged }
            isAtEnd = status == Z_STREAM_END
            let count = buffer.count - Int(stream.pointee.avail_out)
            let isDrained = stream.pointee.avail_out > 0 && stream.pointee.avail_in == 0
            if count > 0, !receive(UnsafeRawBufferPointer(rebasing: buffer[..<count])) {
                return .stopped(at: bytes.count - Int(stream.pointee.avail_in))
            }
            if isDrained { return .done }
        }
    }
}
