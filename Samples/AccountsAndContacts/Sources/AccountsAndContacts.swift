// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupKit
import SoupLocalOrg

/// Syncs accounts together with their contacts: each account and its contacts are a record tree.
@main
struct AccountsAndContacts {
    let org: LocalOrg
    let kit: SoupClient

    static func main() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "AccountsAndContacts-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }

        // The server is a local org in this process, with the records of a file.
        let seed = try Data(contentsOf: URL(filePath: "Org/seed.json"))
        let org = try LocalOrg(seed: OrgSeed(json: Array(seed), file: "Org/seed.json"))
        let kit = try await SoupClient.open(
            at: URL(filePath: "Config"),
            options: .init(
                store: folder.appending(path: "app.db"), transport: org.authorizedTransport, environment: [:]))
        let sample = AccountsAndContacts(org: org, kit: kit)
        try await sample.fetchTrees()
        try await sample.createTree()
        try await sample.changeBothSides()
        try await sample.resolveConflicts()
        try await kit.close()
    }

    /// One sync fetches the records of both soups.
    func fetchTrees() async throws {
        print("== Fetch accounts with their contacts")
        let result = try await run("syncDownAccounts")
        print("down: \(result.savedBySoup["accounts"] ?? 0) accounts, \(result.savedBySoup["contacts"] ?? 0) contacts")
        try await printStore()
    }

    /// A new account and its contacts refer to each other before the server has them.
    func createTree() async throws {
        print("\n== Create an account with contacts, and edit another contact")
        let farm = try await kit.store.create(
            ["Name": "Hilltop Farm", "BillingCity": "Lulea"], type: "Account", in: "accounts")
        // The account has a temporary ID. The sync up replaces it by the server's ID, in the contacts too.
        for (name, title) in [("Dahl", "Farmer"), ("Eng", "Driver")] {
            try await kit.store.create(
                ["LastName": .string(name), "Title": .string(title), "AccountId": farm["Id"] ?? .null],
                type: "Contact", in: "contacts")
        }
        try await edit("contacts", where: "LastName", is: "Ng", setting: ["Title": "Head buyer"])

        let result = try await run("syncUpAccounts")
        print("up: \(result.created) created, \(result.updated) updated")
        try printServer()
    }

    /// With LEAVE_IF_CHANGED, a change on the server to one record delays the local changes of its whole tree.
    func changeBothSides() async throws {
        print("\n== Another client changes an account")
        try org.edit("Account", id: org.id(of: "books") ?? "", ["BillingCity": "Oslo"])
        try await edit(
            "accounts", where: "Name", is: "Harbor Books", setting: ["Name": "Harbour Books", "BillingCity": "Voss"])
        try await edit("contacts", where: "LastName", is: "Berg", setting: ["Title": "Director"])
        try await edit("contacts", where: "LastName", is: "Kaya", setting: ["Title": "Chef"])

        let result = try await run("syncUpAccounts")
        print("up: \(result.updated) updated, \(result.skipped) skipped")
        try await printStore()
        try printServer()
        for conflict in try await kit.syncs.conflicts() {
            print("conflict in \(conflict.soup): \(conflict.code)")
            for field in conflict.fields { print("  \(FieldVersions(of: field, in: conflict))") }
        }
    }

    /// The app keeps each local value, unless the server has another new value of the same field.
    func resolveConflicts() async throws {
        print("\n== The app resolves the conflicts")
        for conflict in try await kit.syncs.conflicts() {
            var taken = JSONObject()
            for field in conflict.fields {
                let versions = FieldVersions(of: field, in: conflict)
                if versions.isChangedOnServer { taken[field] = versions.remote }
            }
            let resolution = taken.isEmpty ? .local : ConflictResolution.merged(try JSONValue.object(taken).jsonText())
            try await kit.syncs.resolveConflict(conflict, as: resolution)
        }
        let up = try await run("syncUpAccounts")
        print("up: \(up.updated) updated, \(up.skipped) skipped")
        let down = try await run("syncDownAccounts")
        print("down: \(down.savedBySoup["accounts"] ?? 0) accounts, \(down.savedBySoup["contacts"] ?? 0) contacts")
        try await printStore()
        try printServer()
    }
}
