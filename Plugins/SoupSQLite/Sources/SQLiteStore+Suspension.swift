// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRDB

extension SQLiteStore {
    /// Prevents all stores of this process from acquiring locks, and interrupts the writes under way.
    ///
    /// iOS ends an app that is suspended while it holds a lock on a file in a shared container (0xDEAD10CC). An app
    /// whose store is in an app group's container calls this when it is about to be suspended: at the end of its
    /// background time, after its syncs have stopped. Until ``resumeAll()``, writes throw `storeUnusable`; reads work.
    public static func suspendAll() { NotificationCenter.default.post(name: Database.suspendNotification, object: nil) }

    /// Allows the stores of this process to write again.
    ///
    /// Call this when the app returns to the foreground, and at the beginning of each background task that uses a
    /// store.
    public static func resumeAll() { NotificationCenter.default.post(name: Database.resumeNotification, object: nil) }
}
