// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import SoupLocalOrg
import SoupSync
import SoupStore
import SoupCore
import SoupKit
import SoupTesting
import Synchronization
import Testing

/// A device changes its user while the syncs of the first one run: the second user gets all of their own rows, and no
/// row of the first one.
@Suite struct SwitchingUsersTests {
    /// Reports one request of a user, and holds it until the removal of the user has been requested.
    private final class Moment: Sendable {
        private let number: Int
        private let count = Mutex(0)
        private let arrived = Promise()
        private let open = Promise()

        init(_ number: Int) { self.number = number }

        func willSend() async {
            let isIt = count.withLock { count in
                count += 1
                return count == number
            }
            guard isIt else { return }
            arrived.fulfil()
            await open.wait()
        }

        func waitForRequest() async { await arrived.wait() }
        func release() { open.fulfil() }
    }

    /// A one-time event.
    private final class Promise: Sendable {
        private let (stream, continuation) = AsyncStream.makeStream(of: Void.self)

        func fulfil() { continuation.finish() }
        func wait() async {
            // In a task of its own, so that a cancelled request is held as well.
            await Task { [stream] in for await _ in stream {} }.value
        }
    }

    private struct HeldTransport: HTTPTransport {
        let base: any HTTPTransport
        let moment: Moment

        func send(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswer {
            await moment.willSend()
            return try await base.send(request, body: body)
        }
    }

    private static let contacts = 60
    private static let created = 30

    /// An org of a user whose contacts contain the user's name.
    private func org(of name: String) throws -> LocalOrg {
        let rows = (1...Self.contacts).map {
            #"{"object": "Contact", "key": "c\#($0)", "values": {"LastName": "\#(name) contact \#($0)"}}"#
        }
        let seed = try OrgSeed(json: Array(#"{"seed": [\#(rows.joined(separator: ","))]}"#.utf8))
        let org = try LocalOrg(seed: seed, clock: ManualClock.advancing())
        org.setOptions { $0.maximumPageSize = 2 }
        return org
    }

    private func folder(isEncrypted: Bool) throws -> TemporaryFolder {
        let encryption = isEncrypted ? #", "encryption": {"key": "file"}"# : ""
        return try TemporaryFolder([
            "userstore.json": #"""
            {"backend": {"type": "sqlite"\#(encryption)},
             "soups": [{"soupName": "contacts", "indexes": [{"path": "Id", "type": "string"},
               {"path": "LastName", "type": "string"}, {"path": "__local__", "type": "string"},
               {"path": "__sync_id__", "type": "integer"}]}]}
            """#,
            "usersyncs.json": #"""
            {"syncs": [
              {"syncName": "down", "syncType": "syncDown", "soupName": "contacts",
               "target": {"type": "soql", "query": "SELECT LastName FROM Contact"},
               "options": {"mergeMode": "LEAVE_IF_CHANGED"}},
              {"syncName": "up", "syncType": "syncUp", "soupName": "contacts", "target": {"type": "single"},
               "options": {"mergeMode": "OVERWRITE", "fieldlist": ["LastName"]}}]}
            """#,
        ])
    }

    /// The files in a folder that contain a text.
    private func files(in folder: TemporaryFolder, with text: String) throws -> [String] {
        let names = FileManager.default.enumerator(atPath: folder.path)
        var found: [String] = []
        while let name = names?.nextObject() as? String {
            let data = FileManager.default.contents(atPath: "\(folder.path)/\(name)") ?? Data()
            if data.range(of: Data(text.utf8)) != nil { found.append(name) }
        }
        return found
    }

    /// Fifty moments, each at another request of the first user.
    @Test(arguments: 1...50)
    func `Another user takes over during a sync`(moment number: Int) async throws {
        try await takeOver(at: number, isEncrypted: false)
    }

    #if Encryption
        @Test(arguments: stride(from: 3, through: 50, by: 5).map { $0 })
        func `Another user takes over encrypted stores`(moment number: Int) async throws {
            try await takeOver(at: number, isEncrypted: true)
        }
    #endif

    private func takeOver(at number: Int, isEncrypted: Bool) async throws {
        let folder = try folder(isEncrypted: isEncrypted)
        let (alice, bob) = (
            try StoreUser(organization: "00DJ0000000CeXy", user: "005J0000002AbCd"),
            try StoreUser(organization: "00DJ0000000CeXy", user: "005J0000003XyZa")
        )
        let (aliceOrg, bobOrg) = (try org(of: "Alice"), try org(of: "Bobby"))
        func open(_ user: StoreUser, _ transport: any HTTPTransport) async throws -> SoupClient {
            try await SoupClient.open(
                at: folder.url, options: .init(user: user, transport: transport, environment: [:]))
        }
        let moment = Moment(number)
        let first = try await open(alice, HeldTransport(base: aliceOrg.authorizedTransport, moment: moment))
        for index in 1...Self.created {
            try await first.store.create(["LastName": .string("Alice new \(index)")], type: "Contact", in: "contacts")
        }
        let runs = [try await first.syncs.reSync(named: "down"), try await first.syncs.reSync(named: "up")]
        await moment.waitForRequest()

        let second = try await open(bob, bobOrg.authorizedTransport)
        let down = try await second.syncs.reSync(named: "down")
        async let removal = first.destroy(discardingUnsentChanges: true)
        moment.release()
        #expect(try await removal.stores.map(\.lastPathComponent) == ["userstore.db"])
        for run in runs {
            let state = await run.result.state
            // A run that had already ended is done; the others are stopped, and none fails.
            #expect(state.status == .stopped || state.status == .done, "\(state.status) \(state.error)")
        }
        let late = await #expect(throws: SoupError.self) { try await first.store.count(.all("contacts")) }
        #expect(late?.isStoreClosed == true)

        #expect(await down.result.state.status == .done)
        let names = try await second.store.query(.all("contacts", pageSize: 500)).entries
            .compactMap { $0["LastName"]?.stringValue }
        #expect(names.sorted() == (1...Self.contacts).map { "Bobby contact \($0)" }.sorted())
        try await second.close()
        #expect(try StoreFolder(at: folder.url).users() == [bob])
        #expect(try files(in: folder, with: "Alice") == [])
        #expect(try files(in: folder, with: "Bobby").isEmpty == isEncrypted)
        // No row of one user was sent to the org of the other.
        #expect(try bobOrg.state(of: "Contact").allSatisfy { $0["LastName"]?.stringValue?.hasPrefix("Bobby") == true })
        #expect(try bobOrg.state(of: "Contact").count == Self.contacts)
    }
}
