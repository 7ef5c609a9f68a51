// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupCore

/// A folder that is removed at the end of the test.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "soupkit-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// A clock that always returns the same time.
struct FixedClock: SoupClock {
    var now: Date

    /// - Parameter now: milliseconds since 1970.
    init(now: Int64) { self.now = Date(millisecondsSince1970: now) }

    func sleep(for duration: Duration) async throws {}
}
