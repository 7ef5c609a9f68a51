// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Encryption && (canImport(CryptoKit) || KeyValue)

    import Foundation
    import SoupKeyValue
    import SoupLocalOrg
    import SoupSync
    import SoupStore
    import SoupCore
    import SoupKit
    import SoupTesting
    import Testing

    /// Users of one device, with the same names of soups, syncs, stores and keys, try to read each other's data.
    @Suite struct SeparateUsersTests {
        private static let names = ["Alice", "Bobby", "Unowned"]

        private struct Device {
            let folder: TemporaryFolder
            let users: [StoreUser?]

            init(isEncrypted: Bool) throws {
                let backend =
                    isEncrypted ? #"{"type": "sqlite", "encryption": {"key": "file"}}"# : #"{"type": "sqlite"}"#
                let store = #"""
                    {"backend": \#(backend),
                     "soups": [{"soupName": "contacts", "indexes": [{"path": "Id", "type": "string"},
                       {"path": "LastName", "type": "string"}, {"path": "Title", "type": "full_text"},
                       {"path": "__local__", "type": "string"}, {"path": "__sync_id__", "type": "integer"}]}]}
                    """#
                let syncs = #"""
                    {"syncs": [{"syncName": "down", "syncType": "syncDown", "soupName": "contacts",
                      "target": {"type": "soql", "query": "SELECT LastName, Title FROM Contact"},
                      "options": {"mergeMode": "LEAVE_IF_CHANGED"}}]}
                    """#
                folder = try TemporaryFolder([
                    "userstore.json": store, "usersyncs.json": syncs, "globalstore.json": store,
                ])
                users = [
                    try StoreUser(organization: "00DJ0000000CeXy", user: "005J0000002AbCd"),
                    // The same IDs, with a site.
                    try StoreUser(
                        organization: "00DJ0000000CeXy", user: "005J0000002AbCd", community: "0DBJ0000000AbCd"),
                    nil,
                ]
            }

            func stores(_ index: Int) -> StoreFolder { StoreFolder(at: folder.url, of: users[index]) }

            func options(_ index: Int, _ scope: StoreScope = .user, store: URL? = nil) throws -> SoupClient.Options {
                .init(scope: scope, store: store, user: users[index], environment: [:])
            }

            /// Fills all stores of a user: by a sync, with local changes, a named store and key-value stores.
            func fill(_ index: Int) async throws {
                let name = SeparateUsersTests.names[index]
                let rows = (1...7).map {
                    #"{"object": "Contact", "key": "c\#($0)", "values": {"LastName": "\#(name) \#($0)", "Title": "\#(name) boss"}}"#
                }
                let org = try LocalOrg(
                    seed: OrgSeed(json: Array(#"{"seed": [\#(rows.joined(separator: ","))]}"#.utf8)),
                    clock: ManualClock.advancing())
                var options = try options(index)
                options.transport = org.authorizedTransport
                let kit = try await SoupClient.open(at: folder.url, options: options)
                let result = await (try await kit.syncs.reSync(named: "down")).result
                #expect(result.state.status == .done && result.saved == 7)
                for number in 1...(index + 1) {
                    try await kit.store.create(
                        ["LastName": .string("\(name) new \(number)"), "Title": .string("\(name) boss")],
                        type: "Contact", in: "contacts")
                }
                try await kit.close()
                let archive = try stores(index).file(of: "archive", in: .user)
                let named = try await SoupClient.openStore(
                    at: folder.url, options: try self.options(index, store: archive))
                try await named.upsert(["Id": "1", "LastName": .string("\(name) archive")], into: "contacts")
                try await named.close()
                let values = KeyValueStores(in: stores(index).folder(of: .user), key: FileKey(configuration: .init()))
                try await values.open("cache").save("\(name) value", forKey: "key")
                try await KeyValueStores(in: stores(index).folder(of: .user)).open("\(name)Cache").save(
                    "x", forKey: name)
                // Shared on purpose.
                let global = try await SoupClient.openStore(at: folder.url, options: try self.options(index, .global))
                try await global.upsert(["LastName": .string("\(name) shared")], into: "contacts")
                try await global.close()
            }

            /// Everything that a user can read, as text.
            func everything(_ index: Int) async throws -> String {
                var seen: [String] = []
                let kit = try await SoupClient.open(at: folder.url, options: try options(index))
                let store = kit.store
                seen += try await store.soupNames().map { "\($0)" }
                seen += try await store.query(.all("contacts", pageSize: 100)).entries.map { "\($0)" }
                seen += try await store.retrieve(Array(1...20), from: "contacts").map { "\($0)" }
                seen += try await store.rows("SELECT {contacts:_soup} FROM {contacts}").map { "\($0)" }
                seen += try await store.rows("SELECT {syncs_soup:_soup} FROM {syncs_soup}").map { "\($0)" }
                seen += try await store.rows(
                    "SELECT {contacts:LastName} FROM {contacts} WHERE {contacts:LastName} LIKE '%'"
                )
                .map { "\($0)" }
                seen += try await store.query(.match("contacts", "Title", text: "boss", pageSize: 100)).entries
                    .map { "\($0)" }
                seen.append("\(try await store.cursor(.all("contacts", pageSize: 100), id: "1").json)")
                for try await page in store.live(.all("contacts", pageSize: 100)) {
                    seen += page.entries.map { "\($0)" }
                    break
                }
                for try await page in store.liveRows(
                    .smart("SELECT {contacts:LastName} FROM {contacts}", pageSize: 100))
                {
                    seen.append("\(page)")
                    break
                }
                seen.append("\(try await store.statistics())")
                seen.append("\(try await store.count(.all("contacts")))")
                seen.append("\(try await kit.syncs.status(named: "down").map { "\($0)" } ?? "")")
                seen += try await kit.syncs.syncs().map { "\($0)" }
                seen += try await kit.syncs.conflicts().map { "\($0)" } + kit.syncs.failures().map { "\($0)" }
                seen.append("\(try await kit.syncs.unknownCreations()) \(kit.drift)")
                try await kit.close()
                seen.append("\(try await SoupClient.unsentChanges(at: folder.url, options: try options(index)))")
                seen.append("\(try await SoupClient.plan(at: folder.url, options: try options(index)))")
                for name in try stores(index).names(in: .user) {
                    let file = try stores(index).file(of: name, in: .user)
                    let named = try await SoupClient.openStore(
                        at: folder.url, options: try options(index, store: file))
                    seen += try await named.query(.all("contacts", pageSize: 100)).entries.map { "\(name) \($0)" }
                    try await named.close()
                }
                let values = KeyValueStores(in: stores(index).folder(of: .user), key: FileKey(configuration: .init()))
                seen += try await values.names()
                seen.append(try await values.open("cache").string(forKey: "key") ?? "")
                return seen.joined(separator: "\n")
            }

            /// The lines of the global store.
            func global(_ index: Int) async throws -> [String] {
                let store = try await SoupClient.openStore(at: folder.url, options: try options(index, .global))
                let lines = try await store.query(.all("contacts", pageSize: 100)).entries
                    .compactMap { $0["LastName"]?.stringValue }
                try await store.close()
                return lines.sorted()
            }
        }

        @Test(arguments: [false, true])
        func `No user sees a row of another user`(isEncrypted: Bool) async throws {
            let device = try Device(isEncrypted: isEncrypted)
            for index in device.users.indices { try await device.fill(index) }
            for index in device.users.indices {
                let text = try await device.everything(index)
                for (other, name) in Self.names.enumerated() {
                    #expect(text.contains(name) == (other == index), "\(Self.names[index]) reads \(name)")
                }
                #expect(text.contains("\(Self.names[index]) archive") && text.contains("\(Self.names[index]) value"))
                // The IDs of entries are assigned by user, too.
                #expect(text.contains("\n\(8 + index)\n"))
                #expect(try await device.global(index) == ["Alice shared", "Bobby shared", "Unowned shared"])
            }
        }

        @Test(arguments: [false, true])
        func `A logout leaves the data of the other users`(isEncrypted: Bool) async throws {
            let device = try Device(isEncrypted: isEncrypted)
            for index in device.users.indices { try await device.fill(index) }
            let before = [try await device.everything(1), try await device.everything(2)]
            _ = try await SoupClient.destroy(
                at: device.folder.url, options: try device.options(0), discardingUnsentChanges: true)
            #expect([try await device.everything(1), try await device.everything(2)] == before)
            let names = FileManager.default.enumerator(atPath: device.folder.path)
            while let name = names?.nextObject() as? String {
                let data = FileManager.default.contents(atPath: "\(device.folder.path)/\(name)") ?? Data()
                // The text in the global store is shared.
                #expect(name.hasPrefix("globalstore") || data.range(of: Data("Alice".utf8)) == nil, "\(name)")
            }
            // The names of other users' stores lead nowhere after the next login.
            #expect(try device.stores(0).names(in: .user) == [])
            try await device.fill(0)
            #expect(try await device.everything(0).contains("Alice archive"))
        }
    }

#endif
