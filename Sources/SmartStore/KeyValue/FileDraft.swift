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

/// A file that is being written under a name of its own, and gets its place when it is whole.
///
/// As long as it is written it is locked: another store of the folder, in whatever process, can tell it from what a
/// kill left behind. One that was not published is deleted with this object, if nobody discards it before.
final class FileDraft: Sendable {
    /// What the names of all drafts begin with.
    static let prefix = ".draft-"

    let path: String
    private let descriptor: Int32
    private let changes: FileChanges
    private let framing: FileFraming
    private let state = Mutex(State())

    private struct State {
        var pending: [UInt8] = []
        var frame = 0
        var isPublished = false
        var isClosed = false
    }

    init(in folder: String, changes: FileChanges, framing: FileFraming) throws {
        self.changes = changes
        self.framing = framing
        while true {
            let path = "\(folder)/\(Self.prefix)\(String(UInt64.random(in: .min ... .max), radix: 16))"
            let descriptor = try changes.create(path)
            // Somebody who cleans the folder at this very moment may have been faster than the lock.
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
            // The last frame is known as such only when no more bytes come.
            var start = 0
            while state.pending.count - start > framing.contentLength {
                let end = start + framing.contentLength
                try write(Array(state.pending[start..<end]), &state, isLast: false)
                start = end
            }
            state.pending.removeFirst(start)
        }
    }

    /// Writes what is left, and puts everything on the disk.
    func finish() throws {
        try state.withLock { state in try write(state.pending, &state, isLast: true) }
        try changes.sync(descriptor, path)
    }

    /// Gives the finished file its place.
    func publish(as path: String) throws {
        try changes.rename(self.path, to: path)
        state.withLock { $0.isPublished = true }
    }

    private func write(_ contents: [UInt8], _ state: inout State, isLast: Bool) throws {
        try changes.write(try framing.seal(contents, frame: state.frame, isLast: isLast), to: descriptor, path)
        state.frame += 1
    }

    /// Closes the file, and deletes it unless it was published; nothing else may be called afterwards.
    func discard() {
        state.withLock { state in
            if state.isClosed { return }
            state.isClosed = true
            if !state.isPublished { _ = try? changes.remove(path) }
            close(descriptor)
        }
    }

    deinit { discard() }

    /// Deletes the draft of that name unless somebody writes it.
    ///
    /// The lock is held until the file is gone: one who has just made it, and has not come to lock it, finds it locked
    /// or without a name, and makes another.
    static func removeAbandoned(_ path: String, changes: FileChanges) throws {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { try changes.remove(path) }
    }
}
