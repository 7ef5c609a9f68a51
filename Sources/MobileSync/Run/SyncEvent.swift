// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// What a run tells while it goes on.
public enum SyncEvent: Sendable, Hashable {
    /// The state of the sync, each time it changed; it is in `syncs_soup` by then. The last event of a run is the state
    /// in which it ended.
    case state(SyncState)
    /// What became of a record that a sync up pushed, or why an entry of a sync down was left out; after the store has
    /// taken note of it.
    case outcome(RecordOutcome)
}
