// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Dispatch

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

#if os(Linux)
    /// A signal through the times of the file, which inotify reports as a change of attributes.
    ///
    /// SQLite itself never changes the attributes, so its writes to the file and to the log do not count as signals.
    /// If a process is killed between a commit and its signal, the system closes the file, which is reported too.
    struct FileSignal: CommitSignal {
        /// The path without links; not a descriptor, whose closing would release the locks of SQLite in this process.
        let path: String

        func send() {
            // A failure is ignored: the file was moved or removed, so no other process has the same one open.
            _ = utimensat(AT_FDCWD, path, nil, 0)
        }

        func listen(on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) -> any CommitListener {
            InotifyListener(path: path, on: queue, body) ?? TimerListener(on: queue, body)
        }
    }

    /// Receives the signals of one file with inotify.
    ///
    /// After each signal it sleeps for some milliseconds, in which the system keeps later signals as one event. A store
    /// that commits thousands of writes per second, and receives its own signals too, therefore wakes a thread rarely.
    final class InotifyListener: CommitListener {
        private static var sleep: DispatchTimeInterval { .milliseconds(5) }

        private let source: any DispatchSourceRead

        /// - Returns: nil if the system has no inotify instance or watch left.
        init?(path: String, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
            let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
            guard descriptor >= 0 else { return nil }
            guard inotify_add_watch(descriptor, path, UInt32(IN_ATTRIB) | UInt32(IN_CLOSE_WRITE)) >= 0 else {
                close(descriptor)
                return nil
            }
            // Sources are thread-safe, although their type does not say so.
            nonisolated(unsafe) let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
            self.source = source
            // The cancellation releases the handlers, and with them the reference to the source.
            source.setEventHandler {
                Self.removeEvents(from: descriptor)
                body()
                source.suspend()
                queue.asyncAfter(deadline: .now() + Self.sleep) { source.resume() }
            }
            source.setCancelHandler { close(descriptor) }
            source.activate()
        }

        /// Removes all events; every event means the same.
        private static func removeEvents(from descriptor: Int32) {
            withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
                while read(descriptor, buffer.baseAddress, buffer.count) > 0 {}
            }
        }

        deinit { source.cancel() }
    }
#endif
