// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// An event of a run in progress.
public enum SyncEvent: Sendable, Hashable {
    /// The new state of the sync, which is already saved in `syncs_soup`.
    ///
    /// The last event of a run is the state in which it ended.
    case state(SyncState)
    /// The result for a record that a sync up pushed, or the reason why an entry of a sync down was left out.
    ///
    /// The store is already updated.
    case outcome(RecordOutcome)
}
