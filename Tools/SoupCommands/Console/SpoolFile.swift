// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import Foundation
internal import SoupKit
internal import Synchronization

#if Encryption
internal import SoupEncryption
#endif

/// A temporary file without a name, which is written once, and then read once.
///
/// In a build with encryption its content is encrypted with a key that is only in memory, because the store can be
/// encrypted, too. The system removes the file when the process ends.
final class SpoolFile: Sendable {
    #if Encryption
    private let content: UnitFile<DescriptorFile>
    #else
    private let content: DescriptorFile
    #endif
    private let written = Mutex<Int64>(0)
    private let position = Mutex<Int64>(0)

    /// The length of a unit; writes and reads of this length are the fastest.
    static let pieceSize = 64 * 1024

    /// Creates the file.
    ///
    /// - Throws: ``SoupError`` with `storeUnusable`.
    init() throws {
        // mkstemp requires six X at the end, replaces them, and creates a file that only this user can read.
        let template = FileManager.default.temporaryDirectory.path + "/soup-" + String(repeating: "X", count: 6)
        var name = Array(template.utf8CString)
        let descriptor = mkstemp(&name)
        guard descriptor >= 0 else { throw DescriptorFile.unusable() }
        unlink(name)
        let file = DescriptorFile(descriptor: descriptor)
        #if Encryption
        content = UnitFile(file, key: DataKey(), kind: .temporary, layout: .uniform(Self.pieceSize))
        #else
        content = file
        #endif
    }

    /// Writes bytes at the end.
    ///
    /// - Throws: ``SoupError`` with `storeUnusable`.
    func append(_ piece: [UInt8]) throws {
        try written.withLock { written in
            try piece.withUnsafeBytes { try content.write($0, at: written) }
            written += Int64(piece.count)
        }
    }

    /// Reads the next piece; empty at the end.
    ///
    /// - Throws: ``SoupError`` with `storeUnusable`.
    func read() throws -> [UInt8] {
        try position.withLock { position in
            let piece = try [UInt8](unsafeUninitializedCapacity: Self.pieceSize) { buffer, count in
                count = try content.read(UnsafeMutableRawBufferPointer(buffer), at: position)
            }
            position += Int64(piece.count)
            return piece
        }
    }
}

/// The bytes of an open file.
struct DescriptorFile: Sendable {
    let descriptor: Int32

    func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int {
        var done = 0
        while done < buffer.count {
            let count = pread(
                descriptor, buffer.baseAddress.map { $0 + done }, buffer.count - done, off_t(offset) + done)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw Self.unusable() }
            if count == 0 { break }
            done += count
        }
        return done
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws {
        var done = 0
        while done < bytes.count {
            let count = pwrite(
                descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done, off_t(offset) + done)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw Self.unusable() }
            done += count
        }
    }

    static func unusable() -> SoupError {
        SoupError(
            .storeUnusable, "standard input cannot be kept in a temporary file: \(String(cString: strerror(errno)))",
            hint:
                "Free disk space in \(FileManager.default.temporaryDirectory.path), set TMPDIR to another folder, or "
                + "redirect the input from a file: soup upsert SOUP < FILE.")
    }
}

#if Encryption
extension DescriptorFile: RawFile {
    func size() throws -> Int64 {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.unusable() }
        return Int64(status.st_size)
    }

    func truncate(to size: Int64) throws {
        guard ftruncate(descriptor, off_t(size)) == 0 else { throw Self.unusable() }
    }

    /// Nothing reads the file after the process has ended.
    func sync() {}
}
#endif

#endif
