// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The work of a ``MeteredStore`` since it was opened.
public struct StoreMetrics: Sendable, Hashable {
    /// The number and the time of the calls of one kind.
    public struct Calls: Sendable, Hashable {
        /// The number of calls that have ended, with a result or with an error.
        public var count: Int
        /// The number of them that threw an error.
        public var failures: Int
        /// The sum of their times, from the call to its end, with the time in which it waited for access.
        public var duration: Duration
        /// The longest time of one call.
        public var longest: Duration

        /// Creates the values; all are 0 by default.
        public init(count: Int = 0, failures: Int = 0, duration: Duration = .zero, longest: Duration = .zero) {
            self.count = count
            self.failures = failures
            self.duration = duration
            self.longest = longest
        }
    }

    /// The reads.
    public var reads: Calls
    /// The writes.
    public var writes: Calls
    /// The number of entries that committed writes have inserted or updated with records; not those that they stamped.
    public var entriesWritten: Int
    /// The number of entries that committed writes have removed one by one; not those of cleared or removed soups.
    public var entriesRemoved: Int

    /// Creates the values; all are 0 by default.
    public init(reads: Calls = Calls(), writes: Calls = Calls(), entriesWritten: Int = 0, entriesRemoved: Int = 0) {
        self.reads = reads
        self.writes = writes
        self.entriesWritten = entriesWritten
        self.entriesRemoved = entriesRemoved
    }
}
