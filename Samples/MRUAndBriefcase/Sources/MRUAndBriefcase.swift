// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupKit
import SoupLocalOrg

/// Fetches two small selections of records: those that the user viewed last, and those of the user's briefcase.
@main
struct MRUAndBriefcase {
    let org: LocalOrg
    let kit: SoupClient

    static func main() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "MRUAndBriefcase-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }

        // The server is a local org in this process, with the records and the briefcase rule of a file.
        let seed = try Data(contentsOf: URL(filePath: "Org/seed.json"))
        let org = try LocalOrg(seed: OrgSeed(json: Array(seed), file: "Org/seed.json"))
        let kit = try await SoupClient.open(
            at: URL(filePath: "Config"),
            options: .init(
                store: folder.appending(path: "app.db"), transport: org.authorizedTransport, environment: [:]))
        let sample = MRUAndBriefcase(org: org, kit: kit)
        try await sample.fetchRecent()
        try await sample.fetchBriefcase()
        try await kit.close()
    }

    /// The user decides which records are recent, by viewing them.
    func fetchRecent() async throws {
        print("== Recently viewed: mru")
        for name in ["Old Mill", "Harbor Books"] { try await view(name) }
        try await sync("syncDownRecent")
        try await printSoup("recentAccounts", "Name")

        print("\nThe user views another account.")
        try await view("Lakeside Cafe")
        try await sync("syncDownRecent")
        try await printSoup("recentAccounts", "Name")

        print("\nAnother client deletes an account.")
        try org.delete("Account", id: org.id(of: "mill") ?? "")
        try await clean("syncDownRecent")
        try await printSoup("recentAccounts", "Name")
    }

    /// The rules of an administrator decide which records are in the briefcase.
    func fetchBriefcase() async throws {
        print("\n== Assigned for work offline: briefcase")
        try await sync("syncDownBriefcase")
        try await printBriefcase()

        print("\nThe user gets a new account, and another user takes over Hilltop Farm.")
        let mine = JSONValue.string(org.id(of: "me") ?? "")
        let quarry = try org.insert("Account", ["Name": "Quarry Works", "Rating": "Hot", "OwnerId": mine])
        try org.insert("Contact", ["LastName": "Quist", "AccountId": .string(quarry)])
        try org.edit(
            "Account", id: org.id(of: "farm") ?? "", ["OwnerId": .string(org.id(of: "other") ?? "")])
        try await sync("syncDownBriefcase")
        try await printBriefcase()

        print("\nThe app cleans the ghosts.")
        try await clean("syncDownBriefcase")
        try await printBriefcase()
    }

    // MARK: The server

    /// Marks an account as viewed, as Salesforce does when the user opens it.
    func view(_ name: String) async throws {
        org.advanceClock(by: .seconds(60))
        let query = URLText.query("SELECT Id FROM Account WHERE Name = '\(name)' FOR VIEW")
        let context = SyncContext(
            transport: org.authorizedTransport, basePath: SalesforceCredentials.defaultAPIPath, soup: "recentAccounts")
        _ = try await context.get("\(context.basePath)/query?q=\(query)")
    }

    // MARK: The store

    func sync(_ name: String) async throws {
        org.advanceClock(by: .seconds(60))
        let result = try await kit.syncs.reSync(named: name).value
        print("\(name): \(result.saved) saved, \(result.unchanged) unchanged")
    }

    /// Removes the entries whose records the server no longer returns to the sync.
    func clean(_ name: String) async throws {
        let removed = try await kit.syncs.cleanResyncGhostsBySoup(named: name)
        let counts = removed.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.value) of \($0.key)" }
        print("\(name): removed \(counts.joined(separator: ", "))")
    }

    func printBriefcase() async throws {
        try await printSoup("accounts", "Name")
        try await printSoup("contacts", "LastName")
    }

    func printSoup(_ soup: SoupName, _ path: JSONPath) async throws {
        let entries = try await kit.store.query(.all(soup, orderedBy: path, pageSize: 100)).entries
        print("\(soup): \(entries.compactMap { $0[path]?.stringValue }.joined(separator: ", "))")
    }
}
