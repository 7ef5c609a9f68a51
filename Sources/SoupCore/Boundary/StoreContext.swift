// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// What a backend is given besides its configuration.
public struct StoreContext: Sendable {
    /// The folder in which a store without a path of its own belongs, and that relative paths start from.
    public var folder: String
    /// Tells the times that entries carry: of their creation and of their last write.
    public var clock: any SoupClock

    /// Takes the system's clock, unless a test brings its own.
    ///
    /// - Parameter folder: absolute, or from the current folder of the process on.
    public init(folder: String, clock: any SoupClock = SystemClock()) {
        self.folder = folder
        self.clock = clock
    }
}
