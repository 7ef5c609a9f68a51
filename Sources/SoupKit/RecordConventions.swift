// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import RESTTargets
internal import SoupSalesforce
internal import SoupCore

/// The requirements for records of a soup so that a sync up can send them, derived from the syncs over the soup.
package struct RecordConventions: Sendable, Hashable {
    /// The value for `attributes.type`; nil if no sync defines it, or if there are several types.
    package var type: String?
    /// The field of the server's ID.
    package var idField: String
    /// Whether a sync up may need the type: false if all syncs use connections, whose servers have no types.
    package var needsType = true
    /// The members that syncs up send, by kind of change.
    ///
    /// A kind is missing if no sync up sends it, or if the members are unknown.
    private var sent: [RecordChange.Kind: Set<String>] = [:]

    /// Creates conventions from known values; the defaults are those of a soup that no sync uses.
    package init(type: String? = nil, idField: String = "Id") {
        self.type = type
        self.idField = idField
    }

    /// Reads the targets of the syncs over a soup: their queries, or the type that they name.
    ///
    /// - Parameter registry: creates the targets, which report their ID field and the fields that they send.
    package init(of soup: SoupName, in syncs: SyncsConfig, registry: PluginRegistry = .standard) {
        var types: Set<String> = []
        var idFields: [String] = []
        var connections: [String?] = []
        var sent: [RecordChange.Kind: Set<String>?] = [:]
        for sync in syncs.syncs {
            types.formUnion(Self.types(of: soup, isOwn: sync.soup == soup, in: sync.target.json))
            guard let target = SyncTarget(sync, registry: registry) else { continue }
            for (position, level) in target.levels(for: sync.soup).enumerated() where level.soup == soup {
                idFields.append(level.idField)
                // Services of other servers know no objects.
                let isService = sync.target.json["type"]?.stringValue == HTTPSyncDownTarget.name.rawValue
                if !isService { connections.append(target.connectionName) }
                guard sync.type == .syncUp else { continue }
                let lists = target.pushedFields(position, sync.options)
                for kind in [RecordChange.Kind.create, .update] {
                    let ofKind = lists.filter { $0.kind == kind }
                    let members = ofKind.flatMap(\.members) + [level.parentIdField, level.idField].compactMap { $0 }
                    let stored = Self.stored(members, of: soup, by: sync.options.transforms, registry)
                    // A target that cannot list its fields may send any member.
                    guard !ofKind.isEmpty, let stored else {
                        sent[kind] = .some(nil)
                        continue
                    }
                    sent[kind] = (sent[kind] ?? []).map { $0.union(stored) }
                }
            }
        }
        self.init(type: types.count == 1 ? types.first : nil, idField: idFields.first ?? "Id")
        needsType = idFields.isEmpty || connections.contains(nil)
        self.sent = sent.compactMapValues { $0 }
    }

    /// Returns the members of a record that no sync up sends; empty if that is unknown.
    ///
    /// - Parameter kind: `create` or `update`.
    package func unsent(of members: [String], as kind: RecordChange.Kind) -> [String] {
        guard let sent = sent[kind] else { return [] }
        return members.filter { $0 != "attributes" && !sent.contains($0) }
    }

    /// Returns the names in the store for members of the server's records, which transforms can rename.
    ///
    /// - Returns: nil if a transform cannot be made or fails.
    private static func stored(
        _ members: [String], of soup: SoupName, by transforms: [TransformReference], _ registry: PluginRegistry
    ) -> [String]? {
        var record = JSONText.object(members.map { (name: $0, value: .null) })
        for reference in transforms where reference.soup == nil || reference.soup == soup {
            var problems: [ConfigurationProblem] = []
            guard let transform = registry.recordTransform(reference, problems: &problems),
                let changed = try? transform.apply(to: record)
            else { return nil }
            record = changed
        }
        return record.members?.map(\.key)
    }

    /// Returns the types that a target object names for a soup.
    ///
    /// - Parameter isOwn: whether the object belongs to the soup if it names no soup itself.
    private static func types(of soup: SoupName, isOwn: Bool, in value: JSONValue) -> Set<String> {
        guard let object = value.objectValue else {
            return (value.arrayValue ?? []).reduce(into: []) { $0.formUnion(types(of: soup, isOwn: false, in: $1)) }
        }
        let isOwn = object["soupName"]?.stringValue.map { $0 == soup.rawValue } ?? isOwn
        var found: Set<String> = []
        if isOwn {
            if let type = object["sobjectType"]?.stringValue { found.insert(type) }
            if let query = object["query"]?.stringValue, let source = try? SOQLQuery(parsing: query).source.path {
                found.insert(source.description)
            }
        }
        for member in object.members { found.formUnion(types(of: soup, isOwn: false, in: member.value)) }
        return found
    }
}
