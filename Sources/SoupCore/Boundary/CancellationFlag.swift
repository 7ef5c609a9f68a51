// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A flag that interrupts ``StoreBackend/readBlocking(cancellation:_:)``, as cancelling the task interrupts a read.
///
/// It is set from any thread, and stays set.
public final class CancellationFlag: Sendable {
    private let flag = Atomic(false)

    /// Creates a flag that is not set.
    public init() {}

    /// Whether the flag was set.
    public var isSet: Bool { flag.load(ordering: .relaxed) }

    /// Sets the flag: the read throws `CancellationError` at its next query, or during a long one.
    public func set() { flag.store(true, ordering: .relaxed) }

    /// Throws if the flag was set; a backend calls it before each query.
    ///
    /// - Throws: `CancellationError`.
    public func check() throws {
        if isSet { throw CancellationError() }
    }
}
