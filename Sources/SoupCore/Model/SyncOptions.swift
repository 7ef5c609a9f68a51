// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// What happens when both sides changed a record (Mobile Sync specification 2.2).
public enum MergeMode: String, Sendable, Hashable, Codable, CaseIterable {
    /// The side that the sync writes to loses its change.
    case overwrite = "OVERWRITE"
    /// The side that the sync writes to keeps its change.
    case leaveIfChanged = "LEAVE_IF_CHANGED"
}

/// The options of a sync.
public struct SyncOptions: Sendable, Hashable {
    public var mergeMode: MergeMode
    /// The fields that a sync up sends when its target does not say.
    public var fieldlist: [String]?

    public init(mergeMode: MergeMode = .overwrite, fieldlist: [String]? = nil) {
        self.mergeMode = mergeMode
        self.fieldlist = fieldlist
    }

    public var json: JSONValue {
        var object: JSONObject = ["mergeMode": .string(mergeMode.rawValue)]
        object["fieldlist"] = fieldlist.map { .array($0.map { .string($0) }) }
        return .object(object)
    }
}

public enum SyncType: String, Sendable, Hashable, Codable, CaseIterable {
    case syncDown
    case syncUp
}

public enum SyncStatus: String, Sendable, Hashable, Codable {
    case new = "NEW"
    case stopped = "STOPPED"
    case running = "RUNNING"
    case done = "DONE"
    case failed = "FAILED"
}
