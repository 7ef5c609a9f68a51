// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SalesforceAPI
public import SoupCore

/// Pushes up to 200 records in one request; each succeeds or fails on its own.
///
/// The default of sync ups.
public struct CollectionSyncUpTarget: SObjectTarget {
    /// `rest`, the name that a target object without a `type` stands for in sync ups.
    public static let name = PluginRegistry.defaultUpTarget
    /// The class names of the SDKs' collection target.
    public static let aliases = PluginName.mobileSDKClass("CollectionSyncUpTarget")
    /// A target object with nothing but field lists; the object comes from the records.
    public static let sample = try? JSONText(
        #"{"type": "rest", "createFieldlist": ["FirstName", "LastName"], "updateFieldlist": ["LastName"]}"#)

    /// The target object, its names found usable.
    public let configuration: SObjectConfiguration
    /// The configured size, from 1 to the 200 records that a collection takes; 200 by default.
    public var maxBatchSize: Int { configuration.batchSize(limit: 200) }

    /// - Throws: ``SoupError`` with the place of a name that cannot be one.
    public init(configuration: SObjectConfiguration) throws {
        try configuration.check()
        self.configuration = configuration
    }

    /// Sends creations, updates, upserts and deletions, in this order, each in requests of up to 200 records.
    ///
    /// Objects share a request as far as the server allows that; upserts go object by object.
    ///
    /// A request that the server refuses as a whole (status 400) is sent again in halves, so that one record does not
    /// fail the others; at most 40 requests a push are made for that.
    ///
    /// - Throws: ``SoupError`` when it is certain that nothing of the batch arrived; `badConfiguration` without any
    ///   field list.
    public func push(_ changes: [RecordChange], in context: SyncContext) async throws -> [PushOutcome] {
        var push = CollectionPush(try PreparedPush(changes, configuration.form(context.options)), context: context)
        try await push.run()
        return push.outcomes
    }
}
