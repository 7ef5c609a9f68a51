// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Android)
    internal import Android
#endif

/// A file that is open for reading; a later file with the same name does not affect it.
final class FileContents: Sendable {
    let path: String
    private let descriptor: Int32
    private let size: Int
    private let framing: any FileFraming

    /// Opens a file; returns nil if there is no file with that name.
    init?(_ path: String, framing: any FileFraming) throws {
        // Open without waiting, in case the path is a pipe.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw SoupError.file("the file cannot be read", path)
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw SoupError(
                .storeUnusable, "the file cannot be read: it is not a regular file", place: SoupError.Place(file: path),
                hint: "Move it to another folder.")
        }
        guard let size = Int(exactly: status.st_size) else {
            close(descriptor)
            throw SoupError(
                .storeUnusable, "the file has \(status.st_size) bytes, which is more than this device can address",
                place: SoupError.Place(file: path), hint: "Delete the value, or save it in parts.")
        }
        self.path = path
        self.descriptor = descriptor
        self.size = size
        self.framing = framing
    }

    deinit { close(descriptor) }

    private var frameLength: Int { framing.contentLength + framing.overhead }
    /// An encrypted file has at least one frame.
    private var frameCount: Int { max((size + frameLength - 1) / frameLength, framing.overhead > 0 ? 1 : 0) }

    /// Returns the contents of a frame; nil after the last one.
    func frame(_ index: Int) throws -> Data? {
        guard index < frameCount else { return nil }
        let isLast = index == frameCount - 1
        let length = isLast ? size - index * frameLength : frameLength
        var filled = 0
        let bytes = try [UInt8](unsafeUninitializedCapacity: length) { buffer, initialized in
            while filled < length {
                let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
                let count = pread(descriptor, rest.baseAddress, rest.count, off_t(index * frameLength + filled))
                if count < 0 && errno == EINTR { continue }
                if count < 0 { throw SoupError.file("the file cannot be read", path) }
                if count == 0 { break }
                filled += count
            }
            initialized = filled
        }
        guard bytes.count == length else {
            throw SoupError(
                .storeUnusable, "the file was truncated while it was read", place: SoupError.Place(file: path))
        }
        do {
            return Data(try framing.unseal(bytes, frame: index, isLast: isLast))
        } catch {
            throw SoupError(
                .storeUnusable, "the file is damaged, or does not belong here", place: SoupError.Place(file: path),
                hint: "Save the value again, or delete it.", cause: error)
        }
    }

    func all() throws -> Data {
        var data = Data(capacity: size)
        for index in 0..<frameCount { data.append(try frame(index) ?? Data()) }
        return data
    }
}
