// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import SoupSync
import SoupSalesforce
import SoupStore
import SoupCore
import SoupKit
import SoupTesting
import Testing

/// A server or proxy that repeats the session's secrets: no message, log line, row or file may contain them.
@Suite struct SecretEchoTests {
    private static let syncs = ["rest", "batch", "single", "tree"]

    private static let files = [
        "userstore.json": #"""
        {"soups": [{"soupName": "accounts", "indexes": [{"path": "Id", "type": "string"},
          {"path": "__local__", "type": "string"}]},
         {"soupName": "contacts", "indexes": [{"path": "Id", "type": "string"}, {"path": "AccountId", "type": "string"},
          {"path": "__local__", "type": "string"}]}]}
        """#,
        "usersyncs.json": #"""
        {"syncs": [
          {"syncName": "down", "syncType": "syncDown", "soupName": "accounts", "options": {"mergeMode": "OVERWRITE"},
           "target": {"type": "soql", "query": "SELECT Name FROM Account"}},
          {"syncName": "rest", "syncType": "syncUp", "soupName": "accounts",
           "options": {"mergeMode": "OVERWRITE", "fieldlist": ["Name"]}, "target": {"type": "rest"}},
          {"syncName": "batch", "syncType": "syncUp", "soupName": "accounts",
           "options": {"mergeMode": "LEAVE_IF_CHANGED", "fieldlist": ["Name"]}, "target": {"type": "batch"}},
          {"syncName": "single", "syncType": "syncUp", "soupName": "accounts",
           "options": {"mergeMode": "MERGE", "fieldlist": ["Name"]}, "target": {"type": "single"}},
          {"syncName": "tree", "syncType": "syncUp", "soupName": "accounts",
           "options": {"mergeMode": "OVERWRITE"}, "target": {"type": "parent_children",
             "parent": {"sobjectType": "Account", "soupName": "accounts"},
             "createFieldlist": ["Name"], "updateFieldlist": ["Name"],
             "children": {"sobjectType": "Contact", "sobjectTypePlural": "Contacts", "soupName": "contacts",
               "parentIdFieldName": "AccountId", "fieldlist": ["LastName"]}}}]}
        """#,
    ]

    @Test(arguments: EchoingServer.Place.allCases, EchoingServer.Spelling.allCases)
    func `No secret leaves the session`(place: EchoingServer.Place, spelling: EchoingServer.Spelling) async throws {
        try await check(EchoingServer(place: place, spelling: spelling))
    }

    @Test(arguments: EchoingServer.Place.allCases, EchoingServer.Spelling.allCases)
    func `No password leaves the session`(place: EchoingServer.Place, spelling: EchoingServer.Spelling) async throws {
        try await check(EchoingServer(place: place, spelling: spelling, login: .password))
    }

    private func check(_ server: EchoingServer) async throws {
        let folder = try TemporaryFolder(Self.files)
        let log = LogLines(from: .trace)
        let clock = ManualClock()
        let session = SessionTransport(
            over: ScriptedTransport { try server.answer($0) }, credentials: server.credentials, clock: clock,
            retry: .never)
        let kit = try await SoupClient.open(
            at: folder.url,
            options: .init(
                transport: session, clock: clock, logger: Logger(label: "test") { _ in log }, environment: [:]))
        var texts: [String] = []
        for sync in Self.syncs {
            let edited = try JSONText(
                #"{"Id": "001000000000001AAA", "Name": "\#(sync)", "__local__": true, "__locally_updated__": true, "attributes": {"type": "Account"}}"#
            )
            try await kit.store.upsert([edited], into: "accounts", externalIdPath: "Id")
            try await kit.store.create(["Name": "New"], type: "Account", in: "accounts")
            texts += try await outcome(of: sync, kit)
        }
        texts += try await outcome(of: "down", kit)
        do {
            try await kit.syncs.cleanResyncGhosts(named: "down")
        } catch {
            texts.append(Self.everything(in: error))
        }
        do {
            _ = try await MetadataCache(manager: kit.syncs).metadata(of: "Account", fetching: .serverFirst)
        } catch {
            texts.append(Self.everything(in: error))
        }
        texts += try await kit.syncs.syncs().map { "\($0)" }
        for soup in ["accounts", "syncs_soup", "syncs_in_flight"] as [SoupName]
        where try await kit.store.soupExists(soup) {
            texts += try await kit.store.query(.all(soup, pageSize: 100)).entries.map { "\($0.json)" }
        }
        texts += log.all
        try await kit.close()
        for file in try folder.files {
            let bytes = try Data(contentsOf: URL(filePath: folder.path + "/" + file))
            texts.append(String(decoding: bytes, as: UTF8.self))
        }
        let repeats = texts.contains { $0.contains(SecretMask.replacement) }
        #expect(repeats || !server.place.isRepeated, "no text contains the server's message, so nothing was tested")
        for secret in server.secrets {
            for form in EchoingServer.Spelling.allCases.map({ $0.text(secret) }) {
                let found = texts.first { $0.contains(form) }
                #expect(found == nil, "\(form)")
            }
        }
    }

    private func outcome(of sync: String, _ kit: SoupClient) async throws -> [String] {
        let run = try await kit.syncs.reSync(named: sync)
        var texts: [String] = []
        for await event in run.events() { texts.append("\(event)") }
        let result = await run.result
        texts.append("\(result)")
        if let error = result.error { texts.append(Self.everything(in: error)) }
        return texts
    }

    /// Returns the error with its causes, as a debugger shows them.
    private static func everything(in error: any Error) -> String {
        var text = "\(error) "
        dump(error, to: &text)
        return text
    }

    /// `soup validate --server` sends requests without a sync.
    @Test(arguments: EchoingServer.Place.allCases, EchoingServer.Login.allCases)
    func `The check of a server reports no secret`(
        place: EchoingServer.Place, login: EchoingServer.Login
    ) async throws {
        let server = EchoingServer(place: place, spelling: .plain, login: login)
        let folder = try TemporaryFolder(Self.files)
        let session = SessionTransport(
            over: ScriptedTransport { try server.answer($0) }, credentials: server.credentials,
            clock: ManualClock(), retry: .never)
        let error = await #expect(throws: (any Error).self) {
            _ = try await ConfigurationFolder(reading: folder.url, environment: [:]).serverProblems(transport: session)
        }
        let text = error.map { Self.everything(in: $0) } ?? ""
        for secret in server.secrets { #expect(!text.contains(secret)) }
    }

    /// A transport can name the URL of its proxy in an error.
    @Test(arguments: [("Proxy.Pass/7", "Proxy.Pass%2F7"), ("p@ss:word", "p@ss:word"), ("Proxy!Pass", "Proxy!Pass")])
    func `The password of a proxy is masked`(password: String, written: String) async throws {
        let proxy = "http://me:\(written)@proxy.example:8080/"
        var files = Self.files
        files["org.json"] =
            #"{"instanceUrl": "https://one.example", "accessToken": "00Dxx!Access.Token/1", "#
            + #""transport": {"type": "urlsession", "proxy": "\#(proxy)"}}"#
        let folder = try TemporaryFolder(files)
        let log = LogLines(from: .trace)
        let broken = ScriptedTransport { _ in
            throw SoupError.network(.notSent, "the proxy \(proxy) with the password \(password) is out of reach")
        }
        let kit = try await SoupClient.open(
            at: folder.url,
            options: .init(
                network: broken, clock: ManualClock.advancing(), logger: Logger(label: "test") { _ in log },
                environment: [:]))
        let texts = try await outcome(of: "down", kit) + log.all
        try await kit.close()
        #expect(texts.contains { $0.contains(SecretMask.replacement) })
        for form in [password, written] { #expect(!texts.contains { $0.contains(form) }, "\(form)") }
    }
}
