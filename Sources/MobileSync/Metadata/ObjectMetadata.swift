// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// What the server tells of an object: its names, what can be done with its records, and its fields.
///
/// A flag that is missing is false, a name that is missing nil; ``raw`` has everything.
public struct ObjectMetadata: Sendable, Hashable {
    /// The API name, such as `Account`.
    public var name: String?
    /// What people call a record.
    public var label: String?
    /// What people call records.
    public var labelPlural: String?
    /// The first three characters of the ids of its records.
    public var keyPrefix: String?
    /// The field by which records belong to an Experience Cloud site.
    public var networkScopeFieldName: String?

    /// Whether records are activated.
    public var activateable: Bool
    /// Whether it has compact layouts.
    public var compactLayoutable: Bool
    /// Whether the user may create records.
    public var createable: Bool
    /// Whether the org made it, and not Salesforce.
    public var custom: Bool
    /// Whether it is a custom setting.
    public var customSetting: Bool
    /// Whether the user may delete records.
    public var deletable: Bool
    /// Whether it is no longer there for this version of the API.
    public var deprecatedAndHidden: Bool
    /// Whether records have feeds.
    public var feedEnabled: Bool
    /// Whether other objects are kinds of it.
    public var hasSubtypes: Bool
    /// Whether it is a kind of another object.
    public var isSubtype: Bool
    /// Whether it has page layouts.
    public var layoutable: Bool
    /// Whether records can be merged.
    public var mergeable: Bool
    /// Whether the server lists the records that were looked at last.
    public var mruEnabled: Bool
    /// Whether the user may query records.
    public var queryable: Bool
    /// Whether the server tells which records were changed and deleted in a time.
    public var replicateable: Bool
    /// Whether records can be fetched by id.
    public var retrieveable: Bool
    /// Whether it has layouts for the results of searches.
    public var searchLayoutable: Bool
    /// Whether searches find records.
    public var searchable: Bool
    /// Whether Apex triggers can run on it.
    public var triggerable: Bool
    /// Whether deleted records can be brought back.
    public var undeletable: Bool
    /// Whether the user may change records.
    public var updateable: Bool

    /// The fields, each an object with `name`, `type`, `label` and what else a describe has.
    public var fields: [JSONValue]
    /// The relationships to children, each with `childSObject`, `field` and `relationshipName`.
    public var childRelationships: [JSONValue]
    /// Where more can be asked for, by name.
    public var urls: [String: String]
    /// The whole describe as the server sent it, and the members of an entry of a soup.
    public var raw: JSONText

    /// Reads a describe.
    ///
    /// - Throws: ``SoupError`` with `json` when it is no JSON object.
    public init(_ raw: JSONText) throws {
        let json = try ObjectLayout.object(raw, "metadata")
        func text(_ key: String) -> String? { json[key]?.stringValue }
        func flag(_ key: String) -> Bool { json[key]?.boolValue ?? false }
        name = text("name")
        label = text("label")
        labelPlural = text("labelPlural")
        keyPrefix = text("keyPrefix")
        networkScopeFieldName = text("networkScopeFieldName")
        activateable = flag("activateable")
        compactLayoutable = flag("compactLayoutable")
        createable = flag("createable")
        custom = flag("custom")
        customSetting = flag("customSetting")
        deletable = flag("deletable")
        deprecatedAndHidden = flag("deprecatedAndHidden")
        feedEnabled = flag("feedEnabled")
        hasSubtypes = flag("hasSubtypes")
        isSubtype = flag("isSubtype")
        layoutable = flag("layoutable")
        mergeable = flag("mergeable")
        mruEnabled = flag("mruEnabled")
        queryable = flag("queryable")
        replicateable = flag("replicateable")
        retrieveable = flag("retrieveable")
        searchLayoutable = flag("searchLayoutable")
        searchable = flag("searchable")
        triggerable = flag("triggerable")
        undeletable = flag("undeletable")
        updateable = flag("updateable")
        fields = json["fields"]?.arrayValue ?? []
        childRelationships = json["childRelationships"]?.arrayValue ?? []
        urls = Dictionary(
            (json["urls"]?.objectValue?.members ?? []).compactMap { key, value in value.stringValue.map { (key, $0) } },
            uniquingKeysWith: { _, last in last })
        self.raw = raw
    }
}
