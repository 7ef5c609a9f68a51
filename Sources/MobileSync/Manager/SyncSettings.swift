// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// What can be tuned about a manager.
public struct SyncSettings: Sendable, Hashable {
    /// How many runs may be under way at once; further ones wait for their turn, in the order in which they were
    /// started.
    ///
    /// At least 1. Beside this cap, a sync up never runs beside another run over one of its soups: two of them would
    /// push the same change twice, and a sync down would save pages that were fetched before the push.
    public var maximumConcurrentRuns: Int {
        didSet { maximumConcurrentRuns = max(1, maximumConcurrentRuns) }
    }

    /// A sync down of at least this many records is announced to the store as a bulk load; one into an empty soup
    /// always is.
    public var bulkLoadThreshold: Int

    /// How long a sync up waits, in milliseconds, before it pushes again what somebody else held locked on the server;
    /// one pause for each time that it tries again.
    ///
    /// Each is shortened by up to a half, at random, so that clients that met once do not meet again. After the last
    /// one the records count as failed.
    public var lockPauses: [Int64]

    /// Raises a number of runs below 1 to 1; a threshold of any size will do.
    public init(
        maximumConcurrentRuns: Int = 4, bulkLoadThreshold: Int = 10_000, lockPauses: [Int64] = [500, 1000, 2000, 4000]
    ) {
        self.maximumConcurrentRuns = max(1, maximumConcurrentRuns)
        self.bulkLoadThreshold = bulkLoadThreshold
        self.lockPauses = lockPauses
    }
}
