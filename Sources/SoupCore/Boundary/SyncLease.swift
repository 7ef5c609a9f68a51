// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The right to run the syncs of a store, granted by ``StoreBackend/claimSyncs()``.
///
/// It is held until ``release()`` is called, until the last reference to it is released, or until the process ends,
/// whichever comes first.
///
/// ```swift
/// func claimSyncs() async throws -> SyncLease? {
///     guard let lock = try FileLock.acquire(path) else { return nil }
///     return SyncLease { lock.unlock() }
/// }
/// ```
public final class SyncLease: Sendable {
    private let onRelease: Mutex<(@Sendable () -> Void)?>

    /// Creates a lease that is held from now on.
    ///
    /// - Parameter onRelease: releases the lock. It is called once, at the first ``release()`` or when the lease is
    ///   deinitialized without it, on any thread, and must not wait. It is not called if the process ends before.
    public init(onRelease: @escaping @Sendable () -> Void) { self.onRelease = Mutex(onRelease) }

    /// Releases the lease; when this returns, another claim can be granted.
    ///
    /// Calling it again does nothing.
    public func release() {
        let onRelease = onRelease.withLock { onRelease in
            defer { onRelease = nil }
            return onRelease
        }
        onRelease?()
    }

    deinit { release() }
}

/// A source of leases that grants one at a time within one process, for data that no other process can open.
public final class SyncLeases: Sendable {
    private let isTaken = Mutex(false)

    /// Creates a source of leases; none is granted yet.
    public init() {}

    /// Returns the lease, or nil while it is held.
    public func claim() -> SyncLease? {
        let isFree = isTaken.withLock { isTaken in
            defer { isTaken = true }
            return !isTaken
        }
        guard isFree else { return nil }
        return SyncLease { self.isTaken.withLock { $0 = false } }
    }
}
