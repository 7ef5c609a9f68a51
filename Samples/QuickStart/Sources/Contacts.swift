// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import SoupKit

/// Part two, a soup in step with a server.
enum Contacts {
    static func run(_ store: SmartStore) async throws {
        print("\n== Contacts: a soup and a server")

        // The server: an org with 1,000 contacts, without a network. For a real one use a `SessionTransport`, or let
        // `SoupClient.open(configuration:)` make everything below from the files of a folder.
        let org = try LocalOrg(seed: .medium)
        let connection = SyncConnection(transport: org.authorizedTransport)

        // What syncs need of a soup: the server's id, and the flag of local changes.
        try await store.registerSoup(
            "contacts", [IndexSpec("Id", .string), IndexSpec("LastName", .string), IndexSpec("__local__", .string)])

        // A sync is defined once, by name, and run as often as you like.
        let syncs = try await SyncManager(backend: store.backend, registry: .standard, connection: connection)
        try await syncs.setUp([
            SyncDefinition(
                name: "contactsDown", type: .syncDown, soup: "contacts",
                target: TargetReference([
                    "type": "soql", "query": "SELECT Id, FirstName, LastName, Title FROM Contact",
                ])),
            SyncDefinition(
                name: "contactsUp", type: .syncUp, soup: "contacts", target: TargetReference([:]),
                options: SyncOptions(mergeMode: .leaveIfChanged, fieldlist: ["FirstName", "LastName", "Title"])),
        ])

        let down = try await syncs.reSync(named: "contactsDown").result()
        print("down: \(down.state.status.rawValue), \(down.saved) saved")
        let again = try await syncs.reSync(named: "contactsDown").result()
        print("down again: \(again.state.status.rawValue), \(again.saved) saved: only what changed comes")

        // Offline. Each change marks the entry, and nothing of this needs the server.
        let some = try await store.query(.all("contacts", orderedBy: "_soupEntryId", pageSize: 3)).entries
        try await store.edit(some[0].id, setting: ["Title": "Captain"], in: "contacts")
        try await store.deleteLocally(some[2].id, in: "contacts")
        let created = try await store.create(
            ["FirstName": "Grace", "LastName": "Hopper"], type: "Contact", in: "contacts")
        print("waiting to go up: \(try await store.count(.exact("contacts", "__local__", true)))")

        // A run tells what happens while it happens.
        let run = try await syncs.reSync(named: "contactsUp")
        for await event in run.events {
            switch event {
            case .state(let state): print("up: \(state.status.rawValue) \(state.progress) %")
            case .outcome(let outcome): print("up: \(outcome.action.rawValue) is \(outcome.result.rawValue)")
            }
        }
        let up = try await run.result()
        print("up: \(up.created) created, \(up.updated) updated, \(up.deleted) deleted, \(up.failed) failed")
        print("waiting to go up: \(try await store.count(.exact("contacts", "__local__", true)))")

        // The entry has the server's id now, and the server has the record.
        let saved = try await store.retrieve([created.id], from: "contacts")[0]
        let records = try org.state(of: "Contact")
        let record = records.first { $0["Id"] == saved["Id"] }
        print(
            "on the server: \(record?["FirstName"]?.stringValue ?? "nobody") \(record?["LastName"]?.stringValue ?? "")")

        // What others delete on the server stays here as a ghost until somebody looks.
        try org.delete("Contact", id: records[500]["Id"]?.stringValue ?? "")
        print("ghosts: \(try await syncs.cleanResyncGhosts(named: "contactsDown"))")
    }
}
