// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The environment of a backend, in addition to its configuration.
public struct StoreContext: Sendable {
    /// The folder for a store without its own path, and the base of relative paths.
    public var folder: String
    /// The clock for the times in entries: of their creation and of their last write.
    public var clock: any SoupClock

    /// Creates a context, with the system's clock unless a test passes its own.
    ///
    /// - Parameter folder: an absolute path, or one relative to the current folder of the process.
    public init(folder: String, clock: any SoupClock = SystemClock()) {
        self.folder = folder
        self.clock = clock
    }
}
