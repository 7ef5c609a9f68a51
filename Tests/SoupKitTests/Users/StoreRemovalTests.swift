// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Encryption && (canImport(CryptoKit) || KeyValue)

    import Foundation
    import SoupStore
    import SoupCore
    import SoupTesting
    import Synchronization
    import Testing

    @testable import SoupKit

    @Suite struct StoreRemovalTests {
        private struct Killed: Error {}

        /// Runs a removal that is killed before a step.
        ///
        /// - Returns: whether the removal ended before that step.
        private func remove(_ world: UserWorld, _ user: StoreUser?, until step: Int) async throws -> Bool {
            let configuration = ConfigurationFolder(reading: world.folder.url, environment: [:])
            var removal = try #require(try StoreRemoval(configuration, world.options(user)))
            let steps = Mutex(0)
            removal.willChange = { _ in
                let isLast = steps.withLock { steps in
                    steps += 1
                    return steps > step
                }
                if isLast { throw Killed() }
            }
            let leases = try removal.claimLeases()
            defer { for lease in leases { lease.release() } }
            do {
                try await removal.complete(try removal.decide())
                return true
            } catch is Killed {
                return false
            }
        }

        /// A removal that is killed at each step, and completed by an opening or by a repetition.
        @Test(arguments: [UserWorld.Kind.plain, .encrypted, .placed, .routed], [false, true])
        func `An interrupted removal is completed later`(_ kind: UserWorld.Kind, opens: Bool) async throws {
            let template = try UserWorld(kind)
            try await template.fill(template.bob)
            try await template.fillGlobal()
            let expected = try template.tree()
            for user in [nil, template.alice] {
                let filled = try UserWorld(copying: template)
                try await filled.fill(user)
                let before = try filled.tree()
                var step = 0
                while true {
                    let world = try UserWorld(copying: filled)
                    let isComplete = try await remove(world, user, until: step)
                    if isComplete { break }
                    if step == 0 {
                        #expect(try world.tree() == before)
                    } else if opens {
                        let kit = try await SoupClient.open(at: world.folder.url, options: world.options(user))
                        for soup in ["notes", "other"] as [SoupName] {
                            #expect(try await kit.store.count(.all(soup)) == 0, "\(kind), step \(step)")
                        }
                        #expect(try world.stores(user).names(in: .user).contains("archive") == false)
                        try await kit.close()
                    }
                    // The same call as before: nothing has to be discarded.
                    _ = try await SoupClient.destroy(at: world.folder.url, options: world.options(user))
                    #expect(try world.tree() == expected, "\(kind), step \(step)")
                    step += 1
                }
                #expect(step > 5)
            }
        }

        @Test(arguments: [UserWorld.Kind.plain, .encrypted])
        func `A named store is not opened during a removal`(_ kind: UserWorld.Kind) async throws {
            let filled = try UserWorld(kind)
            for user in filled.all { try await filled.fill(user) }
            for user in [nil, filled.alice] {
                var step = 1
                var world = try UserWorld(copying: filled)
                while try await !remove(world, user, until: step) {
                    var options = world.options(user)
                    options.store = try world.stores(user).file(of: "archive", in: .user)
                    let kit = try await SoupClient.open(at: world.folder.url, options: options)
                    #expect(try await kit.store.count(.all("notes")) == 0, "step \(step)")
                    try await kit.close()
                    step += 1
                    world = try UserWorld(copying: filled)
                }
                #expect(step > 3)
            }
        }

        @Test func `Any opening completes the removals of others`() async throws {
            let world = try UserWorld(.encrypted)
            for user in world.all { try await world.fill(user) }
            #expect(try await !remove(world, world.alice, until: 3))
            for scope in StoreScope.allCases {
                try await SoupClient.open(at: world.folder.url, options: world.options(nil, scope)).close()
                #expect(try !world.tree().keys.contains { $0.contains(".removing") })
            }
            let bob = try await SoupClient.openStore(at: world.folder.url, options: world.options(world.bob))
            #expect(try await bob.count(.all("notes")) == 1)
            try await bob.close()
        }

        @Test func `A file that cannot be removed keeps no other`() async throws {
            let world = try UserWorld(.encrypted)
            try await world.fill(world.alice)
            let configuration = ConfigurationFolder(reading: world.folder.url, environment: [:])
            var removal = try #require(try StoreRemoval(configuration, world.options(world.alice)))
            removal.willChange = { path in
                if path.hasSuffix("/key_value_stores") { throw SoupError(.storeUnusable, "it cannot be removed") }
            }
            let error = await #expect(throws: SoupError.self) { try await removal.complete(try removal.decide()) }
            #expect(error?.message == "it cannot be removed")
            let left = try world.tree().keys.filter { $0.hasPrefix("users/") }
            #expect(left == ["users/.removing-\(world.alice.folderName)/user/key_value_stores/"])
        }

        @Test func `A link is removed without its target, and reported`() async throws {
            let world = try UserWorld(.plain)
            try await world.fill(world.alice)
            try world.folder.write("text", to: "elsewhere.db")
            let folder = world.stores(world.alice).folder(of: .user).deletingLastPathComponent().path
            for (name, target) in [("linked.db", "elsewhere.db"), ("user/linked", "")] {
                try FileManager.default.createSymbolicLink(
                    atPath: "\(folder)/\(name)", withDestinationPath: "\(world.folder.path)/\(target)")
            }
            let removal = try await SoupClient.destroy(at: world.folder.url, options: world.options(world.alice))
            #expect(
                removal.kept.map(\.place.file) == ["linked.db", "user/linked"].map { "\(folder)/\($0)" })
            let left = try world.tree().keys.sorted()
            // The lock of the store behind the link stays.
            #expect(left == ["elsewhere.db", "elsewhere.db-syncs", "globalstore.json", "users/", "userstore.json"])
        }

        @Test func `A link to the global store removes nothing of it`() async throws {
            let world = try UserWorld(.plain)
            try await world.fillGlobal()
            let before = try world.tree()
            for (number, target) in ["globalstore.db", "globalstore-named.db"].enumerated() {
                if number == 1 { try world.folder.write("text", to: target) }
                try FileManager.default.createSymbolicLink(
                    atPath: "\(world.folder.path)/userstore-x\(number).db",
                    withDestinationPath: "\(world.folder.path)/\(target)")
            }
            _ = try await SoupClient.destroy(
                at: world.folder.url, options: world.options(nil), discardingUnsentChanges: true)
            for (name, data) in before { #expect(try world.tree()[name] == data, "\(name)") }
            #expect(try world.tree()["globalstore-named.db"] == Data("text".utf8))
        }

        @Test func `Keys are removed before all files`() async throws {
            let filled = try UserWorld(.routed)
            for user in [nil, filled.alice] { try await filled.fill(user) }
            for user in [nil, filled.alice] {
                let isOther = { (path: String) in path.hasPrefix("users/") == (user == nil) }
                func count(_ suffix: String, in world: UserWorld) throws -> Int {
                    try world.tree().keys.count { $0.hasSuffix(suffix) && !isOther($0) }
                }
                let all = (try count(".db", in: filled), try count(".key", in: filled))
                #expect(all == (4, 4))
                var step = 1
                var world = try UserWorld(copying: filled)
                while try await !remove(world, user, until: step) {
                    let (stores, keys) = (try count(".db", in: world), try count(".key", in: world))
                    #expect(stores == all.0 || keys == 0, "step \(step)")
                    step += 1
                    world = try UserWorld(copying: filled)
                }
            }
        }

        @Test func `The key of a store that was created later is kept`() async throws {
            let world = try UserWorld(.encrypted)
            try await world.fill(world.alice)
            #expect(try await !remove(world, world.alice, until: 1))
            // An app can open the file without the folder.
            let file = try world.stores(world.alice).file(in: .user)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data("store".utf8).write(to: file)
            try Data("key".utf8).write(to: URL(filePath: file.path + ".key"))
            let configuration = ConfigurationFolder(reading: world.folder.url, environment: [:])
            try await StoreRemoval.completeInterrupted(configuration, world.options(world.alice))
            #expect(
                try world.tree().keys.filter { $0.hasPrefix("users/") }.sorted()
                    == ["userstore.db", "userstore.db.key"].map { "users/\(world.alice.folderName)/\($0)" })
        }

        @Test func `No store is opened while another process removes it`() async throws {
            let world = try UserWorld(.plain)
            for user in [nil, world.alice] {
                try await world.fill(user)
                let configuration = ConfigurationFolder(reading: world.folder.url, environment: [:])
                let removal = try #require(try StoreRemoval(configuration, world.options(user)))
                let lock = try removal.decide()
                let error = await #expect(throws: SoupError.self) {
                    _ = try await SoupClient.open(at: world.folder.url, options: world.options(user))
                }
                #expect(error?.code == .storeUnusable)
                #expect(error?.message == "the stores of the user are being removed")
                // Other users and the global store are not affected.
                try await SoupClient.open(at: world.folder.url, options: world.options(world.bob)).close()
                try await SoupClient.open(at: world.folder.url, options: world.options(user, .global)).close()
                try await removal.complete(lock)
                try await SoupClient.open(at: world.folder.url, options: world.options(user)).close()
            }
        }
    }

#endif
