// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRDB
internal import Synchronization

/// Observes `SQLiteStore.suspendAll()` and `resumeAll()` until it is released.
final class SuspensionObserver: Sendable {
    private let center: NotificationCenter
    private let tokens = Mutex<[any NSObjectProtocol]>([])

    /// - Parameter body: called with whether the stores are suspended, before the call of `suspendAll()` or
    ///   `resumeAll()` returns.
    init(in center: NotificationCenter, _ body: @escaping @Sendable (Bool) -> Void) {
        self.center = center
        tokens.withLock { tokens in
            for (name, isSuspended) in [(Database.suspendNotification, true), (Database.resumeNotification, false)] {
                let token = center.addObserver(forName: name, object: nil, queue: nil) { _ in
                    body(isSuspended)
                }
                tokens.append(token)
            }
        }
    }

    deinit {
        tokens.withLock { tokens in
            for token in tokens { center.removeObserver(token) }
        }
    }
}
