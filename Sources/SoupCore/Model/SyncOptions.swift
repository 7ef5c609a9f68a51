// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// What happens when both sides changed a record.
public enum MergeMode: String, Sendable, Hashable, Codable, CaseIterable {
    /// The side that the sync writes to loses its change.
    case overwrite = "OVERWRITE"
    /// The side that the sync writes to keeps its change.
    case leaveIfChanged = "LEAVE_IF_CHANGED"
    /// The changes of both sides are merged, member by member, against the copy that was in step last; a sync up sends
    /// the members that changed, and no others. What cannot be merged goes to ``SyncOptions/conflictResolver``, and
    /// stays a conflict without one.
    ///
    /// Ours; the mobile SDKs do not have it. It needs a store with ``StoreCapability/syncedCopies`` and an index on
    /// `__local__`.
    case merge = "MERGE"
}

/// The `conflictResolver` of a sync's options: a name, or an object whose `type` is the name.
public struct ResolverReference: Sendable, Hashable {
    /// The text or the object, as it was written.
    public let json: JSONValue

    /// Takes any value; whether it names a resolver shows when the registry makes it.
    public init(_ json: JSONValue) { self.json = json }
    /// Names a resolver that needs no settings.
    public init(named name: PluginName) { json = .string(name.rawValue) }

    /// The name; nil when there is none.
    public var name: PluginName? {
        guard let text = json.stringValue ?? json["type"]?.stringValue, !text.isEmpty else { return nil }
        return PluginName(text)
    }
}

/// The options of a sync.
public struct SyncOptions: Sendable, Hashable {
    /// Who wins when a record changed on both sides.
    public var mergeMode: MergeMode
    /// The fields that a sync up sends when its target does not say.
    public var fieldlist: [String]?
    /// Who decides what ``MergeMode/merge`` leaves open; nil for nobody.
    ///
    /// Other modes do not ask.
    public var conflictResolver: ResolverReference?

    /// Whether a sync down may remove any number of ghosts without a confirmation.
    ///
    /// By default ghost cleaning stops with `tooManyGhosts` before it removes more than 20 entries that are more than
    /// half of the clean entries that the sync brought into a soup. Ours; the mobile SDKs do not have it.
    public var removesAllGhosts: Bool

    /// The defaults are what counts for a sync that is defined without options.
    public init(
        mergeMode: MergeMode = .overwrite, fieldlist: [String]? = nil, conflictResolver: ResolverReference? = nil,
        removesAllGhosts: Bool = false
    ) {
        self.mergeMode = mergeMode
        self.fieldlist = fieldlist
        self.conflictResolver = conflictResolver
        self.removesAllGhosts = removesAllGhosts
    }

    /// `{"mergeMode", "fieldlist"?, "conflictResolver"?, "removeAllGhosts"?}`, as in configurations and in
    /// `syncs_soup`.
    public var json: JSONValue {
        var object: JSONObject = ["mergeMode": .string(mergeMode.rawValue)]
        object["fieldlist"] = fieldlist.map { .array($0.map { .string($0) }) }
        object["conflictResolver"] = conflictResolver?.json
        if removesAllGhosts { object["removeAllGhosts"] = true }
        return .object(object)
    }
}

/// The direction of a sync; the raw value is `syncType` in configurations and `type` in `syncs_soup`.
public enum SyncType: String, Sendable, Hashable, Codable, CaseIterable {
    /// From the server to the store.
    case syncDown
    /// From the store to the server.
    case syncUp
}

/// How a sync stands; the raw value is `status` in `syncs_soup`.
public enum SyncStatus: String, Sendable, Hashable, Codable {
    /// Created, and not run yet.
    case new = "NEW"
    /// The last run was cancelled, or its process ended; the next goes on where it was.
    case stopped = "STOPPED"
    /// A run is under way, or waits for its turn.
    case running = "RUNNING"
    /// The last run came to its end; records of a sync up may have failed all the same.
    case done = "DONE"
    /// The last run ended with an error: see ``SyncState/error``.
    case failed = "FAILED"
}
