// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Logging
import SoupCore
import SoupStore
import SoupTesting
import Synchronization
import Testing

@testable import SoupSync

/// A log that collects its messages.
private final class LogText: LogHandler, Sendable {
    private let messages = Mutex("")
    var text: String { messages.withLock { $0 } }
    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }
    var logLevel: Logger.Level {
        get { .trace }
        set {}
    }
    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }
    func log(event: LogEvent) { messages.withLock { $0 += "\(event.message)\n" } }
}

/// Previews of sync ups: their decisions, and that nothing changes.
@Suite struct SyncManagerPreviewingTests {
    private func preview(
        _ definition: SyncDefinition, in world: World, with others: [SyncDefinition] = [],
        detail: SyncPreview.Detail = .requests
    ) async throws -> SyncPreview {
        try await SyncManager.preview(
            definition, in: world.store.backend, registry: World.registry(),
            connection: SyncConnection(transport: world.server), with: others, detail: detail, clock: world.clock,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private func lines(_ preview: SyncPreview) -> [String] {
        preview.records.map { record in
            [record.action.rawValue, "\(record.entryId)", record.id, record.effect.rawValue, record.reason?.code]
                .compactMap { $0 }.joined(separator: " ")
        }
    }

    /// The state without the questions to the server, which a preview may ask.
    private func state(of world: World) async throws -> String {
        world.server.clearLog()
        return try await world.dump()
    }

    @Test func `Details that were moved below a deletion are shown`() async throws {
        let world = try await World.withTwoTrees()
        try await world.edit("p2c1", "mine")
        try await world.move("p1c1", under: "p2")
        try await world.delete("p2", in: "accounts")
        let before = try await state(of: world)
        let records = try await preview(world.treeUp(), in: world)
        expect(lines(records), ["delete 2 p2 send", "delete 1 p1c1 send"])
        #expect(try await world.dump() == before)
    }

    /// Another user has edited the detail, and deleted the parent or not.
    @Test(arguments: [false, true])
    func `Details that were moved below a deletion are compared`(isDeleted: Bool) async throws {
        let world = try await World.withTwoTrees(mode: .leaveIfChanged)
        try await world.move("p1c1", under: "p2")
        try await world.delete("p2", in: "accounts")
        world.clock.advance(by: .seconds(10))
        world.server.put("p1c1", ["Name": "theirs"], parent: "p1")
        if isDeleted { world.server.remove("p2") }
        let records = try await preview(world.treeUp(mode: .leaveIfChanged), in: world)
        expect(
            lines(records),
            ["delete 2 p2 \(isDeleted ? "resolve" : "send")", "delete 1 p1c1 conflict NEWER_ON_SERVER"])
    }

    /// Another user has edited the detail, or not.
    @Test(arguments: [false, true])
    func `A deletion waits for a move in conflict`(isInConflict: Bool) async throws {
        let world = try await World.withTwoTrees(mode: .leaveIfChanged)
        try await world.move("p1c1", under: "p2")
        try await world.delete("p1", in: "accounts")
        world.clock.advance(by: .seconds(10))
        if isInConflict { world.server.put("p1c1", ["Name": "theirs"], parent: "p1") }
        let records = try await preview(world.treeUp(mode: .leaveIfChanged), in: world)
        expect(
            lines(records),
            isInConflict
                ? ["update 1 p1c1 conflict NEWER_ON_SERVER", "delete 1 p1 fail MOVED_CHILDREN"]
                : ["update 1 p1c1 send", "delete 1 p1 send"])
    }

    @Test func `Each local change has its effect, and stays`() async throws {
        let world = try await World()
        try await world.seed("Ann", "Bob", "Cid", "Dan")
        let definition = world.up("up", mode: .leaveIfChanged)
        _ = try await world.manager.create(definition)
        let added = try await world.create("New")
        let unwanted = try await world.create("Unwanted")
        try await world.store.delete(unwanted, in: "contacts")
        for id in ["ann", "bob"] { try await world.edit(id, "local") }
        try await world.delete("cid")
        world.clock.advance(by: .seconds(10))
        world.server.put("bob", ["Name": "remote"])
        let before = try await state(of: world)
        let preview = try await preview(definition, in: world)
        #expect(preview.error == nil && preview.definition == definition)
        expect(
            lines(preview),
            [
                "delete \(unwanted) remove", "create \(added) send", "update 1 ann send",
                "update 2 bob conflict NEWER_ON_SERVER", "delete 3 cid send",
            ])
        expect(try await state(of: world), before)
    }

    /// No sync has run yet, so the store has no rows of the syncs.
    @Test func `References are found before the first run`() async throws {
        let world = try await World()
        let id = JSONValue.string(LocalId.random())
        let flags: JSONObject = [
            "__local__": true, "__locally_created__": true, "__locally_updated__": false, "__locally_deleted__": false,
        ]
        func save(_ record: JSONObject, in soup: SoupName) async throws {
            try await world.store.upsert(JSONValue.object(JSONObject(record.members + flags.members)), into: soup)
        }
        try await save(["Id": id, "Name": "Acme"], in: "accounts")
        try await save(["Id": .string(LocalId.random()), "Name": "Ann", "AccountId": id], in: "contacts")
        let contacts = world.up("contactsUp")
        #expect(lines(try await preview(contacts, in: world)).allSatisfy { $0.contains("NO_PARENT") })
        let both = [contacts, world.up("accountsUp", from: "accounts")]
        #expect(lines(try await preview(contacts, in: world, with: both)).allSatisfy { $0.contains("send") })
    }

    @Test func `A change that needs a merge is resolved first`() async throws {
        let world = try await World.withMerge()
        try await world.editContact(["Phone": "2"])
        world.editContactRemotely(["Name": "Ann", "Phone": "1", "City": "Rome"])
        let before = try await state(of: world)
        expect(lines(try await preview(world.up(), in: world)), ["update 1 ann resolve"])
        expect(try await state(of: world), before)
    }

    @Test func `A change that no run can send has a reason`() async throws {
        let world = try await World()
        try await world.create("Child", under: "missing")
        let unwanted = try await world.create("Unwanted", under: "missing")
        try await world.store.delete(unwanted, in: "contacts")
        _ = try await world.manager.create(world.treeUp())
        let before = try await state(of: world)
        expect(
            lines(try await preview(world.treeUp(), in: world)),
            ["create 1 fail NO_PARENT", "delete \(unwanted) remove"])
        expect(try await state(of: world), before)
    }

    @Test func `A deletion without its parent is sent`() async throws {
        let world = try await World.withTwoTrees()
        let parent = try #require(try await world.store.lookup("p1", at: "Id", in: "accounts"))
        try await world.store.remove([parent], from: "accounts")
        try await world.delete("p1c2")
        let before = try await state(of: world)
        expect(lines(try await preview(world.treeUp(), in: world)), ["delete 2 p1c2 send"])
        expect(try await state(of: world), before)
    }

    @Test func `Noted requests contain no secret, and are not sent`() async throws {
        let world = try await World()
        world.server.mask.add(["s3cr3t-token"])
        let transport = PreviewTransport(instead: world.server)
        let headers: HTTPFields = [.authorization: "Bearer s3cr3t-token", .accept: "text/csv"]
        let request = HTTPRequest(
            method: .post, scheme: "https", authority: "a.example", path: "/x?t=s3cr3t-token", headerFields: headers)
        await #expect {
            try await transport.send(request, body: Array(#"{"t": "s3cr3t-token"}"#.utf8))
        } throws: { ($0 as? SoupError)?.delivery == .notSent }
        let noted = try #require(transport.requests.first)
        #expect(noted.method == "POST" && noted.headers.map(\.name) == ["Accept"])
        #expect(noted.path.hasPrefix("https://a.example/x?t=") && !"\(noted)".contains("s3cr3t"))
        #expect(world.server.log == [])
    }

    @Test func `A creation without a response is looked up first`() async throws {
        let (world, entry) = try await World.withLostResponse()
        let before = try await state(of: world)
        expect(lines(try await preview(world.up(), in: world)), ["create \(entry) lookUp"])
        expect(try await state(of: world), before)
    }

    @Test func `A sync that the store does not have is previewed as given`() async throws {
        let world = try await World()
        try await world.create("Ann")
        let before = try await state(of: world)
        expect(lines(try await preview(world.up("other"), in: world)), ["create 1 send"])
        #expect(try await preview(world.up("other", from: "missing"), in: world).records == [])
        expect(try await state(of: world), before)
    }

    @Test func `The error of the server ends a preview`() async throws {
        let world = try await World()
        try await world.seed("Ann")
        try await world.edit("ann", "local")
        world.server.with { $0.onLookUp = { throw SoupError(.sessionExpired, "log in") } }
        let before = try await state(of: world)
        let preview = try await preview(world.up("up", mode: .leaveIfChanged), in: world)
        #expect(preview.error?.code == .sessionExpired)
        expect(try await state(of: world), before)
    }

    @Test func `The first page is fetched and discarded`() async throws {
        let world = try await World()
        try await world.seed("Ann", "Bob")
        let definition = world.down()
        world.clock.advance(by: .seconds(10))
        world.server.put("cid", ["Name": "new"])
        let before = try await state(of: world)
        let preview = try await preview(definition, in: world, detail: .firstPage)
        #expect(preview.error == nil && preview.firstPage?.isLast == true)
        #expect(try #require(preview.firstPage).records >= 1)
        expect(try await state(of: world), before)
    }

    /// A target can write files, which no transport prevents.
    @Test func `A target is not asked to push for a first page`() async throws {
        let world = try await World()
        try await world.create("New")
        world.server.with {
            $0.onPush = { _, _ in
                Issue.record("the target was asked to push")
                return nil
            }
        }
        let shown = try await preview(world.up(), in: world, detail: .firstPage)
        #expect(shown.records.map(\.effect) == [.send] && shown.records.allSatisfy(\.requests.isEmpty))
    }

    @Test func `A soup without the index of the ID is an error`() async throws {
        let world = try await World()
        try await world.store.registerSoup("plain", [IndexSpec("Name", .string)])
        let definition = world.down("other", into: "plain")
        #expect(try await preview(definition, in: world).error?.code == .indexNotDefined)
    }

    /// The manager masks its log; a preview has none.
    @Test func `The log contains no secret`() async throws {
        let world = try await World()
        world.server.mask.add(["s3cr3t-token"])
        try await world.seed("Ann")
        try await world.edit("ann", "local")
        world.server.with { $0.onLookUp = { throw SoupError(.server, "refused s3cr3t-token") } }
        let log = LogText()
        let preview = try await SyncManager.preview(
            world.up("up", mode: .leaveIfChanged), in: world.store.backend, registry: World.registry(),
            connection: SyncConnection(transport: world.server), clock: world.clock,
            logger: Logger(label: "test") { _ in log })
        #expect(preview.error != nil || !preview.records.isEmpty)
        #expect(!"\(preview)".contains("s3cr3t") && !log.text.contains("s3cr3t"), "\(log.text)")
    }
}
