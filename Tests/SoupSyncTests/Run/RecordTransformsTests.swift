// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupStore
import SoupTesting
import Testing

@testable import SoupSync

/// Syncs whose records are changed between the server and the store.
@Suite struct RecordTransformsTests {
    private static let title: JSONValue = ["type": "fakeRename", "from": "Name", "to": "title"]

    private func world(
        _ transforms: [JSONValue] = [title], up: [JSONValue]? = nil, mode: MergeMode = .overwrite
    ) async throws -> World {
        let world = try await World()
        world.server.put("a", ["Name": "Ann"])
        world.server.put("b", ["Name": "Bob"])
        world.clock.advance(by: .seconds(10))
        var down = world.down(mode: .leaveIfChanged)
        down.options.transforms = transforms.map { TransformReference($0) }
        var push = world.up(mode: mode)
        push.options.transforms = (up ?? transforms).map { TransformReference($0) }
        _ = try await world.manager.create(down)
        _ = try await world.manager.create(push)
        try await world.run("down")
        world.clock.advance(by: .seconds(10))
        world.server.clearLog()
        return world
    }

    private func edit(_ id: Int64, to title: String, in world: World) async throws {
        try await world.store.edit(id, setting: ["title": .string(title)], in: "contacts")
    }

    @Test(arguments: [MergeMode.overwrite, .leaveIfChanged, .merge])
    func `Records have one form in the store and one on the server`(mode: MergeMode) async throws {
        let world = try await world(mode: mode)
        expect(
            try await world.entries(),
            [
                #"1 a {"title":"Ann"} +0s clean sync 1"#, #"2 b {"title":"Bob"} +0s clean sync 1"#,
            ])
        try await edit(1, to: "Anna", in: world)
        let new = try await world.store.create(["title": "Cid"], in: "contacts").id
        let result = try await world.manager.reSync(named: "up").result
        #expect([result.created, result.updated, result.failed] == [1, 1, 0])
        expect(
            world.server.dump,
            [#"a {"Name":"Anna"} +20s"#, #"b {"Name":"Bob"} +0s"#, #"s1 {"Name":"Cid"} +20s"#])
        world.clock.advance(by: .seconds(10))
        try await world.run("down")
        expect(
            try await world.entries(),
            [
                #"1 a {"title":"Anna"} +20s clean sync 1"#, #"2 b {"title":"Bob"} +0s clean sync 1"#,
                #"\#(new) s1 {"title":"Cid"} +20s clean sync 1"#,
            ])
    }

    @Test func `A merge compares records in the form of the store`() async throws {
        let world = try await world(mode: .merge)
        try await edit(1, to: "mine", in: world)
        world.server.put("a", ["Name": "Ann", "City": "Rome"])
        let result = try await world.manager.reSync(named: "up").result
        #expect([result.updated, result.conflicted] == [1, 0])
        expect(try await world.entries()[0], #"1 a {"title":"mine","City":"Rome"} +20s clean sync 1"#)
        #expect(world.server.dump[0].contains(#""Name":"mine""#))
        try await edit(2, to: "mine", in: world)
        world.server.put("b", ["Name": "theirs"])
        #expect(try await world.manager.reSync(named: "up").result.conflicted == 1)
        let conflict = try #require(try await world.manager.conflicts().first)
        #expect(conflict.fields == ["title"])
        #expect(conflict.remote?["title"] == "theirs")
    }

    @Test func `A record that cannot be changed fails alone`() async throws {
        let world = try await world([["type": "fakeRename", "from": "Name", "to": "title", "refuses": "bad"]])
        try await edit(1, to: "bad", in: world)
        try await edit(2, to: "good", in: world)
        let result = try await world.manager.reSync(named: "up").result
        #expect([result.updated, result.failed] == [1, 1])
        #expect(try await world.entries()[0].hasSuffix("error badTransform"))
        #expect(world.server.dump[0] == #"a {"Name":"Ann"} +0s"#)
    }

    @Test func `A page that cannot be changed fails the run`() async throws {
        let world = try await world([["type": "fakeRename", "from": "Name", "to": "title", "refuses": "bad"]])
        world.server.put("a", ["Name": "bad"])
        world.clock.advance(by: .seconds(10))
        let result = try await world.manager.reSync(named: "down").result
        #expect(result.error?.code == .badTransform)
        #expect(result.error?.message.contains("the transform \"fakeRename\" failed: not this one") == true)
        #expect(try await world.entries()[0].hasPrefix(#"1 a {"title":"Ann"}"#))
    }

    @Test func `A transform of one soup leaves the others`() async throws {
        let world = try await World()
        world.server.put("p", ["Name": "p"])
        world.server.put("c", ["Name": "c"], parent: "p")
        var down = world.treeDown()
        down.options.transforms = [
            TransformReference(["type": "fakeRename", "from": "Name", "to": "title", "soupName": "contacts"])
        ]
        _ = try await world.manager.create(down)
        try await world.run("treeDown")
        #expect(try await world.entries(of: "accounts")[0].contains(#"{"Name":"p"}"#))
        #expect(try await world.entries(of: "contacts")[0].contains(#"{"title":"c","AccountId":"p"}"#))
    }

    @Test func `A sync up with a transform without inverse is refused`() async throws {
        let world = try await World()
        var up = world.up()
        up.options.transforms = [TransformReference(["type": "fakeRename", "from": "a", "to": "b", "isLossy": true])]
        let error = await #expect(throws: ConfigurationError.self) { try await world.manager.create(up) }
        #expect(error?.description.contains("options.transforms[0]: the transform cannot be undone") == true)
        up.options.transforms = [TransformReference(["type": "unknown"])]
        await #expect(throws: ConfigurationError.self) { try await world.manager.create(up) }
    }
}

/// A transform that renames a member, and can refuse a value.
struct FakeRename: RecordTransform {
    struct Configuration: Decodable, Sendable {
        var from: String
        var to: String
        /// The value that the transform refuses.
        var refuses: String?
        var isLossy: Bool?
    }

    static let name: PluginName = "fakeRename"
    let configuration: Configuration

    init(configuration: Configuration) { self.configuration = configuration }

    var fields: [String] { [configuration.from, configuration.to] }

    func apply(to record: JSONText) throws -> JSONText {
        guard let value = record.members?.first(where: { $0.key == configuration.from })?.value else { return record }
        if let refused = configuration.refuses, value == .string(refused) { throw SoupError("refused", "not this one") }
        return .object(
            (record.members ?? []).map {
                (name: $0.key == configuration.from ? configuration.to : $0.key, value: $0.value)
            })
    }

    var inverse: (any RecordTransform)? {
        guard configuration.isLossy != true else { return nil }
        return FakeRename(
            configuration: .init(from: configuration.to, to: configuration.from, refuses: configuration.refuses))
    }
}
