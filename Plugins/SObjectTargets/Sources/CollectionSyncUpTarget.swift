// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SalesforceAPI
public import SoupCore

/// Pushes up to 200 records in one request; each succeeds or fails on its own.
///
/// The default of sync ups.
public struct CollectionSyncUpTarget: SObjectTarget {
    public static let name = PluginRegistry.defaultUpTarget
    public static let aliases: [PluginName] = [
        "SFCollectionSyncUpTarget", "com.salesforce.androidsdk.mobilesync.target.CollectionSyncUpTarget",
    ]
    public static let sample = try? JSONText(
        #"{"type": "rest", "createFieldlist": ["FirstName", "LastName"], "updateFieldlist": ["LastName"]}"#)

    public let configuration: SObjectConfiguration
    public var maxBatchSize: Int { configuration.batchSize(limit: 200) }

    /// - Throws: ``SoupError`` with the place of a name that cannot be one.
    public init(configuration: SObjectConfiguration) throws {
        try configuration.check()
        self.configuration = configuration
    }

    public func push(_ changes: [RecordChange], in context: SyncContext) async throws -> [PushOutcome] {
        var push = CollectionPush(try PreparedPush(changes, configuration.form(context.options)), context: context)
        try await push.run()
        return push.outcomes
    }
}
