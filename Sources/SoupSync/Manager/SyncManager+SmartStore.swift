// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import Logging
public import SoupStore
public import SoupCore

extension SyncManager {
    /// Opens the syncs of a store, and marks the unfinished runs of the last process as STOPPED.
    ///
    /// - Parameters:
    ///   - store: the store; the soup `syncs_soup` is created in it if it does not exist.
    ///   - registry: makes the targets that the definitions name.
    ///   - clock: must also be the clock of the store, because the times of local edits are compared with it.
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
