// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import SoupKit

/// Part two: a soup that is synced with a server.
enum Contacts {
    static func run(_ store: SmartStore) async throws {
        print("\n== Contacts: a soup and a server")

        // The server is a local org with 1,000 contacts in this process. For a real org use a `SessionTransport`, or
        // `SoupClient.open(at:)`, which creates everything below from the files of a folder.
        let org = try LocalOrg(seed: .medium)
        let connection = SyncConnection(
            transport: org.authorizedTransport, basePath: SalesforceCredentials.defaultAPIPath)

        // Syncs need an index on the server's ID and one on the flag of local changes.
        try await store.registerSoup(
            "contacts", [IndexSpec("Id", .string), IndexSpec("LastName", .string), IndexSpec("__local__", .string)])

        // A sync is defined once, with a name, and can run any number of times.
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

        let down = try await syncs.reSync(named: "contactsDown").result
        print("down: \(down.state.status.rawValue), \(down.saved) saved")
        let again = try await syncs.reSync(named: "contactsDown").result
        // The second run fetches only contacts that changed since the first one.
        print("down again: \(again.state.status.rawValue), \(again.saved) saved")

        // These changes do not need the server; each sets the local flags of its entry.
        let some = try await store.query(.all("contacts", orderedBy: "_soupEntryId", pageSize: 3)).entries
        try await store.edit(some[0].id, setting: ["Title": "Captain"], in: "contacts")
        try await store.delete(some[2].id, in: "contacts")
        let created = try await store.create(
            ["FirstName": "Grace", "LastName": "Hopper"], type: "Contact", in: "contacts")
        print("local changes: \(try await store.count(.exact("contacts", "__local__", equals: true)))")

        // A run reports its state and the outcome of each record as events.
        let run = try await syncs.reSync(named: "contactsUp")
        for await event in run.events() {
            switch event {
            case .state(let state): print("up: \(state.status.rawValue) \(state.progress) %")
            case .outcome(let outcome): print("up: \(outcome.action.rawValue) is \(outcome.result.rawValue)")
            }
        }
        let up = await run.result
        print("up: \(up.created) created, \(up.updated) updated, \(up.deleted) deleted, \(up.failed) failed")
        print("local changes: \(try await store.count(.exact("contacts", "__local__", equals: true)))")

        // The entry now has the server's ID, and the server has the record.
        let saved = try await store.retrieve([created.id], from: "contacts")[0]
        let records = try org.state(of: "Contact")
        let record = records.first { $0["Id"] == saved["Id"] }
        print(
            "on the server: \(record?["FirstName"]?.stringValue ?? "none") \(record?["LastName"]?.stringValue ?? "")")

        // The entry of a record that was deleted on the server is a ghost until it is removed.
        try org.delete("Contact", id: records[500]["Id"]?.stringValue ?? "")
        print("ghosts removed: \(try await syncs.cleanResyncGhosts(named: "contactsDown"))")
    }
}
