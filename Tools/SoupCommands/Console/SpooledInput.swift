// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import Foundation
internal import SoupKit

/// Standard input, copied to a file if it is not one.
///
/// A transaction that reads from a slow program would block all other writers for as long. Input that does not come
/// from a file is therefore copied to an unnamed temporary file first. The system removes that file when the process
/// ends.
struct SpooledInput: Sendable {
    private static let pieceSize = 64 * 1024
    private let descriptor: Int32

    /// Waits for all of standard input.
    ///
    /// - Throws: ``SoupError`` with `storeUnusable` if the temporary file cannot be written; `CancellationError`.
    static func standardInput() async throws -> SpooledInput {
        var status = stat()
        if fstat(STDIN_FILENO, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
            return SpooledInput(descriptor: STDIN_FILENO)
        }
        let (copies, continuation) = AsyncThrowingStream.makeStream(of: SpooledInput.self)
        Thread.detachNewThread { continuation.yield(with: Result { try copy() }) }
        for try await copy in copies { return copy }
        throw CancellationError()
    }

    /// Reads the next piece; empty at the end.
    func read() throws -> [UInt8] { try Self.read(descriptor) }

    private static func read(_ descriptor: Int32) throws -> [UInt8] {
        var count = -1
        let piece = [UInt8](unsafeUninitializedCapacity: pieceSize) { buffer, filled in
            repeat {
                count = Foundation.read(descriptor, buffer.baseAddress, pieceSize)
            } while count < 0 && errno == EINTR
            filled = max(0, count)
        }
        guard count >= 0 else {
            throw SoupError(.json, "standard input cannot be read: \(String(cString: strerror(errno)))")
        }
        return piece
    }

    private static func copy() throws -> SpooledInput {
        // mkstemp requires six X at the end, replaces them, and creates a file that only this user can read.
        let template = FileManager.default.temporaryDirectory.path + "/soup-" + String(repeating: "X", count: 6)
        var name = Array(template.utf8CString)
        let descriptor = mkstemp(&name)
        guard descriptor >= 0 else { throw unwritable() }
        unlink(name)
        while true {
            let piece = try read(STDIN_FILENO)
            if piece.isEmpty { break }
            var position = 0
            while position < piece.count {
                let count = piece[position...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { throw unwritable() }
                position += count
            }
        }
        guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw unwritable() }
        return SpooledInput(descriptor: descriptor)
    }

    private static func unwritable() -> SoupError {
        SoupError(
            .storeUnusable, "standard input cannot be kept in a temporary file: \(String(cString: strerror(errno)))",
            hint:
                "Free disk space in \(FileManager.default.temporaryDirectory.path), set TMPDIR to another folder, or "
                + "redirect the input from a file: soup upsert SOUP < FILE.")
    }
}

#endif
