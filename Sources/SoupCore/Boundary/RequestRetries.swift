// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The number of times that a request was sent again, counted for an observer.
///
/// The transport that retries requests reports to the counter of its task, which exists only while requests are
/// observed.
package final class RequestRetries: Sendable {
    /// The counter of the request that the current task sends; nil if it is not observed.
    @TaskLocal package static var current: RequestRetries?

    private let number = Mutex(0)

    package init() {}

    /// The number of retries so far.
    package var count: Int { number.withLock { $0 } }

    /// Counts a retry.
    package func note() { number.withLock { $0 += 1 } }
}
