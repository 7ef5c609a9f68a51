// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import Foundation
internal import SoupLocalOrg
internal import SoupKit

/// The steps of `soup demo`, each checked against the store and the org.
struct DemoScenario: Sendable {
    let console: Console
    let org: LocalOrg
    let kit: SoupClient

    /// Runs all steps against a local org inside this process.
    ///
    /// - Throws: ``SoupError`` with `demoFailed` if the result of a step is not as expected.
    static func run(on console: Console) async throws {
        let options = OrgOptions()
        let org = try LocalOrg(seed: .medium, options: options)
        let folder = try DemoFolder(instanceURL: options.instanceURL, accessToken: org.accessToken)
        defer { folder.remove() }
        console.print("A local org runs inside this process; no data leaves this machine.")
        console.print(
            "The userstore.json and usersyncs.json of the published app MobileSyncExplorer are in \(folder.path).")
        let kit = try await SoupClient.open(
            at: URL(filePath: folder.path), options: .init(network: org.transport, environment: [:]))
        let scenario = DemoScenario(console: console, org: org, kit: kit)
        try await scenario.pull()
        let edits = try await scenario.edit()
        try await scenario.push(edits)
        try await scenario.resolveConflict()
        try await scenario.cleanGhost()
        console.print()
        console.print("Done: no change was lost, and no record was duplicated.")
    }

    // MARK: - The steps

    /// Fetches all records, and then only changed ones.
    private func pull() async throws {
        begin(step: "pull", title: "Records are fetched", command: "soup sync syncDownContacts")
        let first = try await runSync("syncDownContacts")
        let inOrg = try contactsInOrg().count
        try check(first.saved == inOrg, "\(first.saved) of the org's \(inOrg) contacts were fetched")
        explain("\(first.saved) contacts are in the soup now, fetched in \(first.milliseconds) ms.")
        let second = try await runSync("syncDownContacts")
        try check(second.saved == 0, "a second sync fetched \(second.saved) contacts although none had changed")
        explain("A second sync fetches nothing, because nothing has changed.")
    }

    /// The changes that the demo makes offline.
    private struct Edits {
        var edited: SoupEntry
        var created: SoupEntry
        var deleted: SoupEntry
    }

    /// Edits, creates and deletes a contact without using the network.
    private func edit() async throws -> Edits {
        begin(
            step: "edit", title: "Records are edited offline",
            command: "soup query, soup edit, soup create, soup delete")
        let free = try await contactsWithoutCases()
        let edited = try await kit.store.edit(free[0].id, setting: ["Title": "Captain"], in: "contacts")
        explain("The title of \(Self.name(edited)) is changed to Captain.")
        let created = try await kit.store.create(
            ["FirstName": "Nora", "LastName": "Offline", "Title": "Navigator"], type: "Contact", in: "contacts")
        explain("Nora Offline is created with the temporary ID \(created["Id"]?.stringValue ?? "?").")
        let deleted = try await kit.store.delete(free[1].id, in: "contacts")
        explain("\(Self.name(deleted)) is deleted.")
        return Edits(edited: edited, created: created, deleted: deleted)
    }

    /// Pushes the changes, and compares the org with them.
    private func push(_ edits: Edits) async throws {
        begin(step: "push", title: "The edits are pushed", command: "soup sync syncUpContacts")
        let result = try await runSync("syncUpContacts")
        try check(
            result.created == 1 && result.updated == 1 && result.deleted == 1 && result.failed == 0,
            "pushed \(result.created) creates, \(result.updated) updates, \(result.deleted) deletes")
        explain("\(result.created) created, \(result.updated) updated, \(result.deleted) deleted.")
        let contacts = try contactsInOrg()
        let nora = try await entry(edits.created.id)
        try check(
            contacts[Self.serverId(edits.edited)]?["Title"] == "Captain"
                && contacts[Self.serverId(nora)]?["LastName"] == "Offline"
                && contacts[Self.serverId(edits.deleted)] == nil, "the org does not contain exactly the edits")
        try check(try await dirtyCount() == 0, "the store has local changes")
        explain("The org contains exactly these edits; the ID of Nora Offline is now \(Self.serverId(nora)).")
    }

    /// Changes a record on both sides, and resolves the conflict.
    private func resolveConflict() async throws {
        begin(
            step: "conflict", title: "Both sides change one record",
            command: "soup edit, soup sync syncUpContacts syncDownContacts")
        let contact = try await contactsWithoutCases()[1]
        let id = Self.serverId(contact)
        try org.edit("Contact", id: id, ["Title": "Admiral"])
        _ = try await kit.store.edit(contact.id, setting: ["MobilePhone": "+47 22 00 00 00"], in: "contacts")
        explain("A user makes \(Self.name(contact)) Admiral on the server, and the phone number is changed offline.")
        let skipped = try await runSync("syncUpContacts")
        try check(skipped.skipped == 1 && skipped.updated == 0, "the push was not skipped")
        explain("LEAVE_IF_CHANGED skips the push, because the server's version is newer. Both changes are kept.")
        _ = try await runSync("syncDownContacts")
        let fetched = try await entry(contact.id)
        try check(fetched["Title"] == "Admiral", "the server's version was not fetched")
        _ = try await kit.store.edit(contact.id, setting: ["MobilePhone": "+47 22 00 00 00"], in: "contacts")
        let pushed = try await runSync("syncUpContacts")
        try check(pushed.updated == 1, "the merged record was not pushed")
        let merged = try contactsInOrg()[id]
        try check(
            merged?["Title"] == "Admiral" && merged?["MobilePhone"] == "+47 22 00 00 00",
            "the org does not contain both changes")
        explain("The server's version is fetched, the phone number is set again and pushed: the org has both changes.")
    }

    /// Deletes a record on the server, and removes its entry from the store.
    private func cleanGhost() async throws {
        begin(step: "ghost", title: "A record is deleted on the server", command: "soup clean-ghosts syncDownContacts")
        let contact = try await contactsWithoutCases()[2]
        try org.delete("Contact", id: Self.serverId(contact))
        explain("Another user deletes \(Self.name(contact)) on the server; the entry in the store is now a ghost.")
        let removed = try await kit.syncs.cleanResyncGhosts(named: "syncDownContacts")
        try check(removed == 1, "\(removed) ghosts were removed")
        let left = try await kit.store.count(.all("contacts"))
        let inOrg = try contactsInOrg().count
        try check(left == inOrg, "\(left) contacts in the store, \(inOrg) in the org")
        explain("\(removed) ghost is removed: \(left) contacts in the store, \(inOrg) in the org.")
    }
}

#endif
