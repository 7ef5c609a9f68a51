// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import SoupKit

/// An app that syncs with a served org over HTTP: SoupKit as anybody sets it up from the files of a folder, in this
/// process.
struct SyncingApp {
    /// The query of the sync `down`, as it is sent: the engine adds nothing to it.
    static let query =
        "SELECT Id, Name, Type, Industry, AnnualRevenue, NumberOfEmployees, Phone, BillingStreet, BillingCity, Website, "
        + "OwnerId, Description, LastModifiedDate FROM Account ORDER BY LastModifiedDate"
    /// The syncs of the configuration.
    static let down = "accountsDown"
    static let downWithDeletions = "accountsDownWithDeletions"
    static let up = "accountsUp"
    static let soup: SoupName = "accounts"
    /// The soup of ``downWithDeletions``: two syncs over one soup would have to keep count of whose entries are whose.
    static let soupWithDeletions: SoupName = "accountsWithDeletions"

    let kit: SoupClient

    /// An app with an empty store, in a folder that gets its files.
    init(in folder: String, _ org: ServedOrg) async throws {
        try Self.writeConfiguration(to: folder)
        kit = try await SoupClient.open(
            configuration: folder, store: "\(folder)/\(UUID().uuidString).sqlite", environment: Self.environment(org))
    }

    /// How the programs of SoupKit are told of an org.
    static func environment(_ org: ServedOrg) -> [String: String] {
        ["SOUP_INSTANCE_URL": org.address.url, "SOUP_ACCESS_TOKEN": org.address.accessToken]
    }

    /// Runs a sync to its end, which must be a success.
    @discardableResult
    func run(_ name: String) async throws -> SyncResult {
        let result = try await kit.syncs.reSync(named: name).result()
        if let error = result.error { throw error }
        guard result.state.status == .done, result.isComplete else {
            throw ContestantError("the sync \(name) ended as \(result.state.status.rawValue)")
        }
        return result
    }

    /// Runs the first sync down, which must bring so many records.
    ///
    /// - Returns: the seconds that it took.
    func firstSync(_ name: String = down, records: Int) async throws -> Double {
        var saved = 0
        let seconds = try await Rounds.seconds(.wall) { saved = try await run(name).saved }
        guard saved == records else { throw ContestantError("\(saved) of \(records) records came") }
        return seconds
    }

    /// Soups with the indexes of the other suites, and the syncs.
    ///
    /// - Parameter bulk: how the sync down treats many records.
    static func writeConfiguration(to folder: String, bulk: String = "never") throws {
        let indexes = """
            [{"path": "Id", "type": "string"}, {"path": "Name", "type": "string"},
              {"path": "AnnualRevenue", "type": "floating"}, {"path": "__local__", "type": "string"}]
            """
        let store = """
            {"soups": [{"soupName": "\(soup)", "indexes": \(indexes)},
              {"soupName": "\(soupWithDeletions)", "indexes": \(indexes)}]}
            """
        func down(_ name: String, into soup: SoupName, _ more: String = "") -> String {
            """
            {"syncName": "\(name)", "syncType": "syncDown", "soupName": "\(soup)",
              "target": {"type": "soql", "query": "\(query)", "bulk": "\(bulk)"\(more)},
              "options": {"mergeMode": "OVERWRITE"}}
            """
        }
        let syncs = """
            {"syncs": [\(down(Self.down, into: soup)),
              \(down(downWithDeletions, into: soupWithDeletions, #", "deletes": "incremental""#)),
              {"syncName": "\(up)", "syncType": "syncUp", "soupName": "\(soup)",
              "options": {"fieldlist": ["Name", "Description"], "mergeMode": "OVERWRITE"}}]}
            """
        try store.write(toFile: folder + "/userstore.json", atomically: true, encoding: .utf8)
        try syncs.write(toFile: folder + "/usersyncs.json", atomically: true, encoding: .utf8)
    }
}
