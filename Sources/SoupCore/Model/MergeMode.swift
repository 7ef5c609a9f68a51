// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The handling of records that both sides changed.
public enum MergeMode: String, Sendable, Hashable, Codable, CaseIterable {
    /// The sync overwrites the change on the side that it writes to.
    case overwrite = "OVERWRITE"
    /// The sync keeps the change on the side that it writes to.
    case leaveIfChanged = "LEAVE_IF_CHANGED"
    /// The changes of both sides are merged, member by member, against the synced copy.
    ///
    /// A sync up sends only the changed members. Conflicts that cannot be merged are passed to
    /// ``SyncOptions/conflictResolver``; without one they stay conflicts. The mobile SDKs do not have this mode. It
    /// needs a store with ``StoreCapability/syncedCopies`` and an index on `__local__`.
    case merge = "MERGE"
}

extension MergeMode {
    /// Whether syncs need the copies of entries as they were last synced.
    ///
    /// Such a sync needs a store with ``StoreCapability/syncedCopies``, and an index on `__local__` in each soup.
    package var requiresSyncedCopies: Bool {
        switch self {
        case .overwrite, .leaveIfChanged: false
        case .merge: true
        }
    }

    /// Whether a sync up sends a change only if it is based on the server's version.
    package var detectsConflicts: Bool {
        switch self {
        case .overwrite: false
        case .leaveIfChanged, .merge: true
        }
    }

    /// Whether conflicts are passed to the sync's conflict resolver.
    var usesConflictResolver: Bool {
        switch self {
        case .overwrite, .leaveIfChanged: false
        case .merge: true
        }
    }

    /// Returns quoted names of modes, as alternatives for hints: `"LEAVE_IF_CHANGED" or "MERGE"`.
    static func quoted(_ modes: [MergeMode]) -> String {
        NameDistance.alternatives(modes.map { "\"\($0.rawValue)\"" })
    }

    /// The names of the modes that work with every store, for hints: `OVERWRITE or LEAVE_IF_CHANGED`.
    package static var namesWithoutSyncedCopies: String {
        NameDistance.alternatives(Self.allCases.filter { !$0.requiresSyncedCopies }.map(\.rawValue))
    }
}
