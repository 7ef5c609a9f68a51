// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The environment of a backend, in addition to its configuration.
public struct StoreContext: Sendable {
    /// The folder for a store without its own path, and the base of relative paths.
    public var folder: URL
    /// The clock for the times in entries: of their creation and of their last write.
    public var clock: any SoupClock

    /// Creates a context, with the system's clock unless a test passes its own.
    ///
    /// - Parameter folder: a file URL; `URL(filePath: ".")` is the current folder of the process.
    public init(folder: URL, clock: any SoupClock = SystemClock()) {
        self.folder = folder
        self.clock = clock
    }
}
