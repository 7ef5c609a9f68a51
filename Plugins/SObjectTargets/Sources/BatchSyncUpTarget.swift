// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
public import SoupCore

/// Pushes up to 25 records in one composite request; each succeeds or fails on its own.
public struct BatchSyncUpTarget: SObjectTarget {
    /// The `type` of this target: `batch`.
    public static let name: PluginName = "batch"
    /// The names of the mobile SDKs for this target.
    public static let aliases = PluginName.mobileSDKClass("BatchSyncUpTarget")
    /// Contacts, with other fields for updates than for creations.
    public static let sample = try? JSONText(
        #"{"type": "batch", "createFieldlist": ["FirstName", "LastName"], "updateFieldlist": ["LastName"]}"#)

    /// The checked target object.
    public let configuration: SObjectConfiguration
    /// The configured size, from 1 to 25, the maximum for a composite request; 25 by default.
    public var maxBatchSize: Int { configuration.batchSize(limit: CompositeSubrequest.maximum) }

    /// - Throws: ``SoupError`` with the place of an invalid name.
    public init(configuration: SObjectConfiguration) throws {
        try configuration.check()
        self.configuration = configuration
    }

    /// Sends the changes in composite requests of up to 25, one after another.
    ///
    /// After a lost response, or one that refuses everything, the remaining changes are reported as not sent.
    ///
    /// - Throws: ``SoupError`` while nothing has reached the server; `badConfiguration` if there is no field list.
    public func push(_ changes: [RecordChange], in context: SyncContext) async throws -> [PushOutcome] {
        var push = try PreparedPush(changes, configuration.form(context.options))
        let sendable = push.sendable
        let client = SalesforceClient(context)
        for start in stride(from: 0, to: sendable.count, by: CompositeSubrequest.maximum) {
            let positions = Array(sendable[start..<min(start + CompositeSubrequest.maximum, sendable.count)])
            let subrequests = subrequests(at: positions, of: push, apiPath: client.apiPath)
            let answer = try await push.ledger.exchange(for: positions) { try await client.composite(subrequests) }
            guard let answer else { break }
            push.ledger.note(
                answer, to: subrequests, at: positions, changes: changes, actions: push.actions)
        }
        await push.ledger.confirmGone(with: client)
        return push.ledger.finished()
    }

    private func subrequests(
        at positions: [Int], of push: PreparedPush, apiPath: String
    ) -> [CompositeSubrequest] {
        var taken: Set<String> = []
        return positions.compactMap { position in
            guard let action = push.actions[position] else { return nil }
            let change = push.changes[position]
            let name =
                change.serverId ?? change.record[JSONPath(idField)]?.stringValue ?? "new_\(change.entryId)"
            return CompositeSubrequest(
                RowRequest(action, apiPath: apiPath),
                referenceId: CompositeSubrequest.referenceId(for: name, taken: &taken))
        }
    }
}
