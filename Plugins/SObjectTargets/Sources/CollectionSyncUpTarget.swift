// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
public import SoupCore

/// Pushes up to 200 records in one request; each succeeds or fails on its own.
///
/// The default of sync ups.
public struct CollectionSyncUpTarget: SObjectTarget {
    /// `rest`, the default name for target objects of sync ups without a `type`.
    public static let name: PluginName = "rest"
    /// The names of the mobile SDKs for this target.
    public static let aliases = PluginName.mobileSDKClass("CollectionSyncUpTarget")
    /// A target object with only field lists; the records contain their object.
    public static let sample = try? JSONText(
        #"{"type": "rest", "createFieldlist": ["FirstName", "LastName"], "updateFieldlist": ["LastName"]}"#)

    /// The checked target object.
    public let configuration: SObjectConfiguration
    /// The configured size, from 1 to 200, the maximum for a collection; 200 by default.
    public var maxBatchSize: Int { configuration.batchSize(limit: 200) }

    /// - Throws: ``SoupError`` with the place of an invalid name.
    public init(configuration: SObjectConfiguration) throws {
        try configuration.check()
        self.configuration = configuration
    }

    /// Sends creations, updates, upserts and deletions, in this order, each in requests of up to 200 records.
    ///
    /// Several objects share a request if the server allows it; upserts are sent object by object.
    ///
    /// The collections API cannot compare dates, so another user can change a record after the engine has compared it,
    /// and before the request reaches the server. With the key `strict`, updates with a modification date are sent as
    /// composite requests of up to 25 records, in which the server compares the dates.
    ///
    /// If the server refuses a whole request (status 400), it is sent again in halves, so that one record does not make
    /// the others fail. At most 40 requests per push are sent for this.
    ///
    /// - Throws: ``SoupError`` if it is certain that nothing of the batch reached the server; `badConfiguration`
    ///   without any field list.
    public func push(_ changes: [RecordChange], in context: SyncContext) async throws -> [PushOutcome] {
        let prepared = try PreparedPush(changes, configuration.form(context.options))
        var push = CollectionPush(
            prepared, isStrict: configuration.isStrict, client: SalesforceClient(context))
        try await push.run()
        return push.outcomes
    }
}
