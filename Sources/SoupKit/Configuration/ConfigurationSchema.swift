// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
public import SoupCore

/// The JSON Schemas (2020-12) of the configuration files, with the options of the plug-ins of a registry.
///
/// Editors complete and check the files with them. They describe the form of each file alone; `soup validate` also
/// compares the files with each other, and checks the values of options.
public enum ConfigurationSchema: String, Sendable, CaseIterable {
    /// `userstore.json` and `globalstore.json`.
    case store = "userstore.json"
    /// `usersyncs.json` and `globalsyncs.json`.
    case syncs = "usersyncs.json"
    /// `org.json`.
    case org = "org.json"

    /// The files that the schema describes.
    public var files: [String] {
        switch self {
        case .store: StoreScope.allCases.map(\.storeFile)
        case .syncs: StoreScope.allCases.map(\.syncsFile)
        case .org: [ConfigurationFolder.orgFile]
        }
    }

    /// Returns the schema.
    public func schema(registry: PluginRegistry = .standard) -> JSONValue {
        switch self {
        case .store: registry.storeSchema
        case .syncs: registry.syncsSchema
        case .org: Self.orgSchema(registry)
        }
    }

    private static func orgSchema(_ registry: PluginRegistry) -> JSONValue {
        var types = TypeSchemas()
        types.define("transport", registry.transportSchema(&types))
        types.define("credentialStore", registry.credentialStoreSchema(&types))
        let connection = types.schema(of: ConnectionConfig.self)
        let credentials = types.objectSchema(of: SalesforceCredentials.self) ?? [:]
        let others: [(key: String, schema: JSONValue)] = [
            (OrgTransport.key, TypeSchemas.nullable(TypeSchemas.reference("transport"))),
            (OrgCredentialStore.key, TypeSchemas.nullable(TypeSchemas.reference("credentialStore"))),
            (OrgFile.connectionsKey, ["type": ["object", "null"], "additionalProperties": connection]),
            (OrgPlugins.key, ["type": ["array", "null"], "items": ["type": "string", "minLength": 1]]),
            (OrgSyncSettings.CodingKeys.deletes.rawValue, TypeSchemas.nullable(types.schema(of: DeleteMode.self))),
            (
                OrgSyncSettings.CodingKeys.requestLimitPercent.rawValue,
                ["type": ["number", "null"], "minimum": 1, "maximum": 100]
            ),
        ]
        let own = credentials["properties"]?.objectValue?.members ?? []
        let root = ObjectSchema(
            own.map { ($0.key, $0.value) } + others, rules: [sessionRule(own.map(\.key))])
        return PluginRegistry.document("Server, credentials and plug-ins", root, defining: types)
    }

    /// Returns the rule that a file defines a server, unless it has only connections, plug-ins and settings of syncs.
    private static func sessionRule(_ keys: [String]) -> JSONValue {
        let hasCredentials = keys.map { key -> JSONValue in ["required": [.string(key)]] }
        let others = [OrgFile.connectionsKey, OrgPlugins.key] + OrgSyncSettings.CodingKeys.allCases.map(\.rawValue)
        let needsNone: JSONValue = [
            "anyOf": .array(others.map { ["required": [.string($0)]] }),
            "not": ["anyOf": .array(hasCredentials)],
        ]
        let server = ["instanceUrl", "loginUrl"].map { key -> JSONValue in
            ["required": [.string(key)], "properties": .object([key: ["type": "string", "minLength": 1]])]
        }
        return ["if": needsNone, "else": ["anyOf": .array(server)]]
    }
}
