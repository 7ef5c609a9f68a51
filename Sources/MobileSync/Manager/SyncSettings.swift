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

    /// How long a sync up waits, in milliseconds, before it pushes a record again that was locked on the
    /// server; one pause for each time that it tries again.
    ///
    /// Each is shortened by up to a half, at random, so that clients that met once do not meet again. After the last
    /// one the records count as failed.
    public var lockPauses: [Int64]

    /// How long ``SyncManager/watch(_:every:settling:onRound:follow:)`` waits before each look for changes that
    /// another process made, in milliseconds, each at least 1000.
    ///
    /// The last one repeats. A change that is found, here or in another process, begins with the first one again.
    /// Without any, only the changes of this process are observed.
    public var watchPauses: [Int64] {
        didSet { watchPauses = watchPauses.map { max(1000, $0) } }
    }

    /// Raises a number of runs below 1 to 1; a threshold of any size will do.
    public init(
        maximumConcurrentRuns: Int = 4, bulkLoadThreshold: Int = 10_000, lockPauses: [Int64] = [500, 1000, 2000, 4000],
        watchPauses: [Int64] = [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000]
    ) {
        self.watchPauses = watchPauses.map { max(1000, $0) }
        self.maximumConcurrentRuns = max(1, maximumConcurrentRuns)
        self.bulkLoadThreshold = bulkLoadThreshold
        self.lockPauses = lockPauses
    }
}
