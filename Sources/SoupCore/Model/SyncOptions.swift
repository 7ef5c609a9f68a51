// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The `conflictResolver` of a sync's options: a name, or an object whose `type` is the name.
public struct ResolverReference: Sendable, Hashable {
    /// The name or the object, as written.
    public let json: JSONValue

    /// Creates a reference from any value; the registry checks it when it creates the resolver.
    public init(_ json: JSONValue) { self.json = json }
    /// Creates a reference to a resolver without options.
    public init(named name: PluginName) { json = .string(name.rawValue) }

    /// The name; nil if there is none.
    public var name: PluginName? { json.pluginName }
}

/// The options of a sync.
public struct SyncOptions: Sendable, Hashable {
    /// The handling of records that changed on both sides.
    public var mergeMode: MergeMode
    /// The fields that a sync up sends if its target does not define them.
    public var fieldlist: [String]?
    /// The resolver for the conflicts that ``MergeMode/merge`` cannot resolve; nil for none.
    ///
    /// Other modes do not use it.
    public var conflictResolver: ResolverReference?
    /// The changes of records between the server and the store, in the order of the way down.
    public var transforms: [TransformReference]

    /// Whether a sync down may remove any number of ghosts without a confirmation.
    ///
    /// By default ghost cleaning stops with `tooManyGhosts` before it removes more than 20 entries that are more than
    /// half of the clean entries that the sync fetched into a soup. The mobile SDKs do not have this option.
    public var removesAllGhosts: Bool

    /// Further members, which SoupKit does not use; rows and events contain them as the app sent them.
    public var otherMembers: JSONObject = [:]

    /// Creates options; the defaults are those of a sync that is defined without options.
    public init(
        mergeMode: MergeMode = .overwrite, fieldlist: [String]? = nil, conflictResolver: ResolverReference? = nil,
        transforms: [TransformReference] = [], removesAllGhosts: Bool = false
    ) {
        self.mergeMode = mergeMode
        self.fieldlist = fieldlist
        self.conflictResolver = conflictResolver
        self.transforms = transforms
        self.removesAllGhosts = removesAllGhosts
    }

    /// Creates options from JSON as in `syncs_soup`.
    ///
    /// `null` counts as missing, and so do values of unexpected types of all members but the merge mode.
    ///
    /// - Throws: ``SoupError`` with `badConfiguration` for an unknown merge mode, or if it or the options have another
    ///   type, because a run with a guessed one could change the wrong records.
    public init(json: JSONValue) throws {
        guard var object = json.isNull ? [:] : json.objectValue else {
            throw SoupError(.badConfiguration, "the options are no object")
        }
        var mode = MergeMode.overwrite
        if let value = object["mergeMode"], !value.isNull {
            guard let known = value.stringValue.flatMap(MergeMode.init) else {
                throw SoupError(
                    .badConfiguration, "there is no merge mode \(value.description.excerpt(100))",
                    hint: "Known: \(MergeMode.allCases.map(\.rawValue).joined(separator: ", ")).")
            }
            mode = known
        }
        self.init(
            mergeMode: mode, fieldlist: object["fieldlist"]?.arrayValue?.compactMap(\.stringValue),
            conflictResolver: object["conflictResolver"].map { ResolverReference($0) },
            transforms: object["transforms"]?.arrayValue?.map { TransformReference($0) } ?? [],
            removesAllGhosts: object["removeAllGhosts"]?.boolValue ?? false)
        object["mergeMode"] = nil
        if fieldlist != nil { object["fieldlist"] = nil }
        object["conflictResolver"] = nil
        if !transforms.isEmpty { object["transforms"] = nil }
        object["removeAllGhosts"] = nil
        otherMembers = object
    }

    /// The options as JSON, as in configurations and in `syncs_soup`.
    ///
    /// `{"mergeMode", "fieldlist"?, "conflictResolver"?, "transforms"?, "removeAllGhosts"?}`, and ``otherMembers``.
    public var json: JSONValue {
        var object = otherMembers
        object["mergeMode"] = .string(mergeMode.rawValue)
        if let fieldlist { object["fieldlist"] = .array(fieldlist.map { .string($0) }) }
        if let conflictResolver { object["conflictResolver"] = conflictResolver.json }
        if !transforms.isEmpty { object["transforms"] = .array(transforms.map(\.json)) }
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

/// The status of a sync; the raw value is `status` in `syncs_soup`.
public enum SyncStatus: String, Sendable, Hashable, Codable {
    /// The sync was created, and has not run yet.
    case new = "NEW"
    /// The last run was cancelled, or its process ended; the next run continues from there.
    case stopped = "STOPPED"
    /// A run is in progress, or waits to start.
    case running = "RUNNING"
    /// The last run was completed; single records of a sync up may still have failed.
    case done = "DONE"
    /// The last run ended with an error: see ``SyncState/error``.
    case failed = "FAILED"
}
