// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// A part of the work of a sync, as an observer sees it before it begins.
///
/// Its members come from the configuration and from code, so that each has few different values. They contain no IDs of
/// records and no URLs.
public struct SyncActivity: Sendable, Hashable {
    /// The kinds of work.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A run, from its turn to its final state; it contains the other activities.
        case run
        /// A ghost cleaning: alone, or at the end of a run with a target that reports deletions.
        case ghostCleaning
        /// The target fetches a page.
        case pageFetch
        /// The store writes a page.
        case pageSave
        /// The target pushes a batch of changes.
        case push
        /// The transport sends a request, and retries it. For a streamed response it ends with the head.
        case request
        /// The target reads the body of a streamed response; reported once at its end, without a duration. Not reported
        /// for a body that is not read to its end.
        case streamedBody
    }

    /// The kind of work.
    public var kind: Kind
    /// The name of the sync; nil for a one-time sync.
    public var sync: String?
    /// The direction of the sync.
    public var syncType: SyncType
    /// The soup of the sync; for trees, that of the roots.
    public var soup: SoupName
    /// The name of the target.
    public var target: PluginName
    /// The name of the backend that writes a page; nil for other kinds.
    public var backend: PluginName?
    /// The name of the connection that a request uses; nil for the org, and for other kinds.
    public var connection: String?
    /// The name of the transport that sends a request; nil if it is unknown, and for other kinds.
    public var transport: PluginName?
    /// The HTTP method of a request; nil for other kinds.
    public var method: String?
    /// The number of changes in a push; 0 for other kinds.
    public var changes = 0

    /// Creates an activity; the engine makes them.
    public init(
        _ kind: Kind, sync: String?, syncType: SyncType, soup: SoupName, target: PluginName
    ) {
        self.kind = kind
        self.sync = sync
        self.syncType = syncType
        self.soup = soup
        self.target = target
    }
}
