// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore
internal import Synchronization

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Android)
    internal import Android
#endif

/// A file that is written under a temporary name, and renamed when it is complete.
///
/// The file is locked while it is written, so that another store of the folder, in any process, can distinguish it from
/// a file that a killed process left. If it was neither published nor discarded, it is deleted with this object.
final class TemporaryFile: Sendable {
    /// The prefix of the names of all temporary files.
    static let prefix = ".draft-"

    let path: String
    private let descriptor: Int32
    private let changes: FileChanges
    private let framing: any FileFraming
    private let state = Mutex(State())

    private struct State {
        var pending: [UInt8] = []
        var frame = 0
        var isPublished = false
        var isClosed = false
    }

    init(in folder: String, changes: FileChanges, framing: any FileFraming) throws {
        self.changes = changes
        self.framing = framing
        while true {
            let path = "\(folder)/\(Self.prefix)\(String(UInt64.random(in: .min ... .max), radix: 16))"
            let descriptor = try changes.create(path)
            // A concurrent cleanup of the folder may have deleted the file before it was locked.
            var status = stat()
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0, fstat(descriptor, &status) == 0, status.st_nlink > 0 {
                self.path = path
                self.descriptor = descriptor
                return
            }
            close(descriptor)
        }
    }

    func append(_ bytes: some Collection<UInt8>) throws {
        try state.withLock { state in
            state.pending.append(contentsOf: bytes)
            // A frame is known to be the last one only when no more bytes follow.
            var start = 0
            while state.pending.count - start > framing.contentLength {
                let end = start + framing.contentLength
                try write(Array(state.pending[start..<end]), &state, isLast: false)
                start = end
            }
            state.pending.removeFirst(start)
        }
    }

    /// Writes the remaining bytes, and flushes the file to the disk.
    func finish() throws {
        try state.withLock { state in try write(state.pending, &state, isLast: true) }
        try changes.sync(descriptor, path)
    }

    /// Renames the finished file to its final name.
    func publish(as path: String) throws {
        try changes.rename(self.path, to: path)
        state.withLock { $0.isPublished = true }
    }

    private func write(_ contents: [UInt8], _ state: inout State, isLast: Bool) throws {
        try changes.write(try framing.seal(contents, frame: state.frame, isLast: isLast), to: descriptor, path)
        state.frame += 1
    }

    /// Closes the file, and deletes it unless it was published; no other method may be called afterwards.
    func discard() {
        state.withLock { state in
            if state.isClosed { return }
            state.isClosed = true
            if !state.isPublished { _ = try? changes.remove(path) }
            close(descriptor)
        }
    }

    deinit { discard() }

    /// Deletes a temporary file unless it is being written.
    ///
    /// The lock is held until the file is deleted. If a writer has just created the file and not yet locked it, it
    /// finds the file locked or without a name, and creates another one.
    static func removeAbandoned(_ path: String, changes: FileChanges) throws {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { try changes.remove(path) }
    }
}
