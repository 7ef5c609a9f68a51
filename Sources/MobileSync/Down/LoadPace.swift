// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// Whether a load waits for its server or for its store; times are in milliseconds.
struct LoadPace: Sendable {
    private var pages = 0
    private var cameAt: Int64 = 0
    private var writtenAt: Int64?
    private var waiting: Int64 = 0
    private var writing: Int64 = 0

    /// A page came, and is to be written.
    ///
    /// The first one is not waited for: nothing could be written before.
    mutating func pageCame(at time: Int64) {
        cameAt = time
        if let writtenAt { waiting += max(0, time - writtenAt) }
    }

    /// The page that came last is written.
    mutating func pageWritten(at time: Int64) {
        pages += 1
        writing += max(0, time - cameAt)
        writtenAt = time
    }

    /// Whether the server takes so much longer than the store, by the first pages, that the store has time for several
    /// times as much work.
    var isSlow: Bool { pages >= 3 && waiting > 4 * writing }
}
