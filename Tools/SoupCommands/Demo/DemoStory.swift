// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import SoupLocalOrg
internal import SoupKit

/// The story that `soup demo` tells, step by step, each checked against the store and the org.
struct DemoStory: Sendable {
    let console: Console
    let org: LocalOrg
    let kit: SoupClient

    /// Serves a local org for as long as the story lasts, and tells it.
    ///
    /// - Throws: ``SoupError`` with `demoFailed` when a step does not come out as told.
    static func tell(on console: Console) async throws {
        let org = try LocalOrg(seed: .medium)
        let (urls, ready) = AsyncStream.makeStream(of: String.self)
        try await withThrowingTaskGroup { group in
            group.addTask {
                try await org.serve { url in
                    ready.yield(url)
                    ready.finish()
                }
                ready.finish()
            }
            group.addTask {
                guard let url = await urls.first(where: { _ in true }) else { return }
                try await tell(on: console, org, at: url)
            }
            // The first to end is the story, unless the org could not be served.
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private static func tell(on console: Console, _ org: LocalOrg, at url: String) async throws {
        let folder = try DemoFolder(instanceURL: url, accessToken: org.accessToken)
        defer { folder.remove() }
        console.say("A local org answers at \(url); nothing here leaves this machine.")
        console.say(
            "The userstore.json and usersyncs.json of the published app MobileSyncExplorer are in \(folder.path).")
        let kit = try await SoupClient.open(configuration: folder.path, environment: [:])
        let story = DemoStory(console: console, org: org, kit: kit)
        try await story.pull()
        let edited = try await story.edit()
        try await story.push(edited)
        try await story.settleConflict()
        try await story.cleanGhost()
        console.say()
        console.say("That is all: nothing was lost, nothing was doubled.")
    }

    // MARK: - The steps

    /// All records come down, and only what changed afterwards.
    private func pull() async throws {
        step("pull", "Records come down", "soup sync syncDownContacts")
        let first = try await run("syncDownContacts")
        let inOrg = try contactsInOrg().count
        try check(first.saved == inOrg, "\(first.saved) of the org's \(inOrg) contacts came down")
        tell("\(first.saved) contacts are in the soup now, in \(first.milliseconds) ms.")
        let second = try await run("syncDownContacts")
        try check(second.saved == 0, "a second sync moved \(second.saved) contacts although none had changed")
        tell("Once more: nothing has changed, nothing moves.")
    }

    /// What the demo did offline.
    private struct Edits {
        var edited: SoupEntry
        var created: SoupEntry
        var deleted: SoupEntry
    }

    /// Local changes, without a network.
    private func edit() async throws -> Edits {
        step("edit", "Edits are made offline", "soup query, soup edit, soup create, soup delete")
        let free = try await contactsWithoutCases()
        let edited = try await kit.store.edit(free[0].id, setting: ["Title": "Captain"], in: "contacts")
        tell("\(Self.name(edited)) becomes Captain.")
        let created = try await kit.store.create(
            ["FirstName": "Nora", "LastName": "Offline", "Title": "Navigator"], type: "Contact", in: "contacts")
        tell("Nora Offline is new; until the server gives her an id she is \(created["Id"]?.stringValue ?? "?").")
        let deleted = try await kit.store.delete(free[1].id, in: "contacts")
        tell("\(Self.name(deleted)) is deleted.")
        return Edits(edited: edited, created: created, deleted: deleted)
    }

    /// The changes go up, and each is told what became of it.
    private func push(_ edits: Edits) async throws {
        step("push", "The edits go up", "soup sync syncUpContacts")
        let result = try await run("syncUpContacts")
        try check(
            result.created == 1 && result.updated == 1 && result.deleted == 1 && result.failed == 0,
            "pushed \(result.created) creations, \(result.updated) updates, \(result.deleted) deletions")
        tell("\(result.created) created, \(result.updated) updated, \(result.deleted) deleted.")
        let contacts = try contactsInOrg()
        let nora = try await entry(edits.created.id)
        try check(
            contacts[Self.serverId(edits.edited)]?["Title"] == "Captain"
                && contacts[Self.serverId(nora)]?["LastName"] == "Offline"
                && contacts[Self.serverId(edits.deleted)] == nil, "the org does not hold exactly the edits")
        try check(try await dirty() == 0, "the store is not clean")
        tell("The org holds exactly these edits, the store is clean; Nora Offline is \(Self.serverId(nora)) now.")
    }

    /// Both sides change one record.
    private func settleConflict() async throws {
        step("conflict", "Both sides change one record", "soup edit, soup sync syncUpContacts syncDownContacts")
        let contact = try await contactsWithoutCases()[1]
        let id = Self.serverId(contact)
        try org.edit("Contact", id: id, ["Title": "Admiral"])
        _ = try await kit.store.edit(contact.id, setting: ["MobilePhone": "+47 22 00 00 00"], in: "contacts")
        tell("Somebody makes \(Self.name(contact)) Admiral on the server, while we write down a new phone number.")
        let refused = try await run("syncUpContacts")
        try check(refused.skipped == 1 && refused.updated == 0, "the push was not held back")
        tell(
            "LEAVE_IF_CHANGED holds our push back: the server's version is newer. Nothing is overwritten on either side."
        )
        _ = try await run("syncDownContacts")
        let theirs = try await entry(contact.id)
        try check(theirs["Title"] == "Admiral", "the server's version did not come down")
        _ = try await kit.store.edit(contact.id, setting: ["MobilePhone": "+47 22 00 00 00"], in: "contacts")
        let pushed = try await run("syncUpContacts")
        try check(pushed.updated == 1, "the merged record was not pushed")
        let merged = try contactsInOrg()[id]
        try check(
            merged?["Title"] == "Admiral" && merged?["MobilePhone"] == "+47 22 00 00 00",
            "the org does not hold both changes")
        tell("We take the server's version, write our number into it and push again: both changes are in the org.")
    }

    /// A record disappears on the server.
    private func cleanGhost() async throws {
        step("ghost", "A record disappears on the server", "soup clean-ghosts syncDownContacts")
        let contact = try await contactsWithoutCases()[2]
        try org.delete("Contact", id: Self.serverId(contact))
        tell("Somebody deletes \(Self.name(contact)) on the server; here it is a ghost.")
        let removed = try await kit.syncs.cleanResyncGhosts(named: "syncDownContacts")
        try check(removed == 1, "\(removed) ghosts were removed")
        let left = try await kit.store.count(.all("contacts"))
        let inOrg = try contactsInOrg().count
        try check(left == inOrg, "\(left) contacts here, \(inOrg) in the org")
        tell("\(removed) ghost is gone: \(left) contacts here, \(inOrg) in the org.")
    }
}

#endif
