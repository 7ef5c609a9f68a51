// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The server's description of an object: its names, the supported operations, and its fields.
///
/// A missing flag is `false`, and a missing name is `nil`. ``raw`` contains everything.
public struct ObjectMetadata: Sendable, Hashable {
    /// The API name, such as `Account`.
    public var name: String?
    /// The display name of one record.
    public var label: String?
    /// The display name of several records.
    public var labelPlural: String?
    /// The first three characters of the IDs of its records.
    public var keyPrefix: String?
    /// The field that assigns records to an Experience Cloud site.
    public var networkScopeFieldName: String?

    /// Whether records can be activated.
    public var activateable: Bool
    /// Whether it has compact layouts.
    public var compactLayoutable: Bool
    /// Whether the user may create records.
    public var createable: Bool
    /// Whether the object was created by the org, and not by Salesforce.
    public var custom: Bool
    /// Whether it is a custom setting.
    public var customSetting: Bool
    /// Whether the user may delete records.
    public var deletable: Bool
    /// Whether it is no longer available in this version of the API.
    public var deprecatedAndHidden: Bool
    /// Whether records have feeds.
    public var feedEnabled: Bool
    /// Whether it has subtypes.
    public var hasSubtypes: Bool
    /// Whether it is a subtype of another object.
    public var isSubtype: Bool
    /// Whether it has page layouts.
    public var layoutable: Bool
    /// Whether records can be merged.
    public var mergeable: Bool
    /// Whether the server lists the most recently viewed records.
    public var mruEnabled: Bool
    /// Whether the user may query records.
    public var queryable: Bool
    /// Whether the server reports which records were changed and deleted in a period.
    public var replicateable: Bool
    /// Whether records can be fetched by ID.
    public var retrieveable: Bool
    /// Whether it has layouts for search results.
    public var searchLayoutable: Bool
    /// Whether records can be found by searches.
    public var searchable: Bool
    /// Whether Apex triggers can run on it.
    public var triggerable: Bool
    /// Whether deleted records can be restored.
    public var undeletable: Bool
    /// Whether the user may change records.
    public var updateable: Bool

    /// The fields, each an object with `name`, `type`, `label` and the other members of a describe.
    public var fields: [JSONValue]
    /// The relationships to children, each with `childSObject`, `field` and `relationshipName`.
    public var childRelationships: [JSONValue]
    /// The URLs of related resources, by name.
    public var urls: [String: String]
    /// The whole describe as the server sent it, together with the members of a soup entry.
    public var raw: JSONText

    /// Reads a describe.
    ///
    /// - Throws: ``SoupError`` with `json` if it is not a JSON object.
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
