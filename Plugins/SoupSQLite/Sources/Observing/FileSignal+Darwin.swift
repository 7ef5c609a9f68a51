// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    internal import Darwin
    internal import Dispatch

    #if canImport(notify)
        internal import notify
    #endif

    /// A signal through a Darwin notification whose name contains a hash of the path.
    ///
    /// All processes of an app group have the container of the group at the same path. A notification has no content,
    /// and an app that is suspended receives it when it continues. A process that is killed between a commit and its
    /// signal sends none; the next signal of any process, or the end of a suspension, then reports the change.
    struct FileSignal: CommitSignal {
        private let name: String

        init(path: String) {
            // FNV-1a: the same value in every process, unlike Swift's hash values.
            let hash = path.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
            name = "soupkit.store.\(String(hash, radix: 16))"
        }

        func send() { notify_post(name) }

        func listen(on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) -> any CommitListener {
            DarwinListener(name: name, on: queue, body) ?? TimerListener(on: queue, body)
        }
    }

    /// Receives the Darwin notifications of one name.
    final class DarwinListener: CommitListener {
        private let token: Int32

        /// - Returns: nil if the system refuses the registration.
        init?(name: String, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
            var token: Int32 = 0
            // 0 is NOTIFY_STATUS_OK.
            guard notify_register_dispatch(name, &token, queue, { _ in body() }) == 0 else { return nil }
            self.token = token
        }

        deinit { notify_cancel(token) }
    }
#endif
