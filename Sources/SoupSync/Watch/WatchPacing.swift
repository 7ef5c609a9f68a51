// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The pauses of a watch while few of the server's requests are left.
enum WatchPacing {
    /// The share of the limit from which the pauses grow.
    static let beginning = 0.75
    /// The factor of the pauses when the limit is reached.
    static let maximum = 10.0

    /// Returns the factor by which the pauses are longer than usual, from 1 to ``maximum``.
    ///
    /// - Parameter limit: the share of the requests that syncs may use.
    static func factor(_ usage: APIUsage, limit: Double) -> Double {
        let used = Double(usage.used) / max(1, Double(usage.maximum) * limit)
        let position = (used - beginning) / (1 - beginning)
        return 1 + (maximum - 1) * min(1, max(0, position))
    }
}
