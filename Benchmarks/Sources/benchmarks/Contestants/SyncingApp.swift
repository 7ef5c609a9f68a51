// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import SoupKit

/// An app in this process that syncs with a served org over HTTP, set up from the files of a folder.
struct SyncingApp {
    /// The query of the sync `down`, exactly as it is sent.
    static let query =
        "SELECT Id, Name, Type, Industry, AnnualRevenue, NumberOfEmployees, Phone, BillingStreet, BillingCity, Website, "
        + "OwnerId, Description, LastModifiedDate FROM Account ORDER BY LastModifiedDate"
    /// The syncs of the configuration.
    static let down = "accountsDown"
    static let downWithDeletions = "accountsDownWithDeletions"
    static let up = "accountsUp"
    static let soup: SoupName = "accounts"
    /// The soup of ``downWithDeletions``; two syncs over one soup would have to record the owners of the entries.
    static let soupWithDeletions: SoupName = "accountsWithDeletions"

    let kit: SoupClient

    /// Creates an app with an empty store, and writes its files into a folder.
    ///
    /// - Parameter observer: measures the work of the syncs; nil for none.
    init(in folder: String, _ org: ServedOrg, observer: (any SyncObserver)? = nil) async throws {
        try Self.writeConfiguration(to: folder)
        kit = try await SoupClient.open(
            at: URL(filePath: folder),
            options: .init(
                store: URL(filePath: "\(folder)/\(UUID().uuidString).sqlite"), observer: observer,
                environment: Self.environment(org)))
    }

    /// Returns the environment variables of an org for SoupKit's programs.
    static func environment(_ org: ServedOrg) -> [String: String] {
        ["SOUP_INSTANCE_URL": org.address.url, "SOUP_ACCESS_TOKEN": org.address.accessToken]
    }

    /// Runs a sync, which must succeed.
    @discardableResult
    func run(_ name: String) async throws -> SyncResult {
        let result = try await kit.syncs.reSync(named: name).result
        if let error = result.error { throw error }
        guard result.state.status == .done, result.isComplete else {
            throw ContestantError("the sync \(name) ended as \(result.state.status.rawValue)")
        }
        return result
    }

    /// Runs the first sync down, which must fetch this number of records.
    ///
    /// - Returns: the duration in seconds.
    func firstSync(_ name: String = down, records: Int) async throws -> Double {
        var saved = 0
        let seconds = try await Rounds.seconds(.wall) { saved = try await run(name).saved }
        guard saved == records else { throw ContestantError("\(saved) of \(records) records were saved") }
        return seconds
    }

    /// Writes the files with the soups, which have the indexes of the other suites, and the syncs.
    ///
    /// - Parameter bulk: the bulk mode of the syncs down.
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
