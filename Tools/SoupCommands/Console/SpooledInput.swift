// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import Foundation
internal import SoupKit

/// Standard input, copied to a file if it is not one.
///
/// A transaction that reads from a slow program would block all other writers for as long. Input that does not come
/// from a file is therefore copied to a ``SpoolFile`` first.
struct SpooledInput: Sendable {
    /// The copy; nil for standard input itself.
    private let copy: SpoolFile?

    /// Waits for all of standard input.
    ///
    /// - Throws: ``SoupError`` with `storeUnusable` if the temporary file cannot be written; `CancellationError`.
    static func standardInput() async throws -> SpooledInput {
        var status = stat()
        if fstat(STDIN_FILENO, &status) == 0, status.st_mode & S_IFMT == S_IFREG { return SpooledInput(copy: nil) }
        let (copies, continuation) = AsyncThrowingStream.makeStream(of: SpoolFile.self)
        Thread.detachNewThread { continuation.yield(with: Result { try copied() }) }
        for try await copy in copies { return SpooledInput(copy: copy) }
        throw CancellationError()
    }

    /// Reads the next piece; empty at the end.
    func read() throws -> [UInt8] { try copy?.read() ?? Self.readInput() }

    private static func readInput() throws -> [UInt8] {
        var count = -1
        let piece = [UInt8](unsafeUninitializedCapacity: SpoolFile.pieceSize) { buffer, filled in
            repeat {
                count = Foundation.read(STDIN_FILENO, buffer.baseAddress, SpoolFile.pieceSize)
            } while count < 0 && errno == EINTR
            filled = max(0, count)
        }
        guard count >= 0 else {
            throw SoupError(.json, "standard input cannot be read: \(String(cString: strerror(errno)))")
        }
        return piece
    }

    private static func copied() throws -> SpoolFile {
        let file = try SpoolFile()
        while true {
            let piece = try readInput()
            if piece.isEmpty { return file }
            try file.append(piece)
        }
    }
}

#endif
