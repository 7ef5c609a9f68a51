// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import Logging
public import SmartStore
public import SoupCore

extension SyncManager {
    /// Opens the syncs of a store, and takes note of the runs that the last process did not finish: they are STOPPED.
    ///
    /// - Parameters:
    ///   - store: the soup `syncs_soup` is made in it when it is not there.
    ///   - registry: makes the targets that the definitions name.
    ///   - clock: must be the clock of the store, too: local edits are told from older ones by it.
    /// - Throws: `SoupError` of the store.
    public init(
        store: SmartStore, registry: PluginRegistry, connection: SyncConnection, clock: any SoupClock = SystemClock(),
        settings: SyncSettings = SyncSettings(), logger: Logger = Logger(label: "soupkit.sync")
    ) async throws {
        try await self.init(
            backend: store.backend, registry: registry, connection: connection, clock: clock, settings: settings,
            logger: logger)
    }
}
