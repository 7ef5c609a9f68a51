// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Logging
import Synchronization

/// A log handler that collects the messages as `level: message`.
final class LogLines: LogHandler, Sendable {
    private let lines = Mutex<[String]>([])
    private let level: Logger.Level

    /// - Parameter level: the lowest level that is collected.
    init(from level: Logger.Level) { self.level = level }

    var all: [String] { lines.withLock { $0 } }
    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }
    var logLevel: Logger.Level {
        get { level }
        set {}
    }
    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }
    func log(event: LogEvent) { lines.withLock { $0.append("\(event.level): \(event.message)") } }
}
