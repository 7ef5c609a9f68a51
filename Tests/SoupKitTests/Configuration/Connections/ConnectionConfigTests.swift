// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import SoupCore
import SoupHTTP
import SoupTesting
import Testing

@testable import SoupKit

/// The connections of `org.json`, with values from the environment and from files.
@Suite struct ConnectionConfigTests {
    private static let environment = ["CRM_TOKEN": "token-of-crm", "HOST": "crm.example.com", "EMPTY": ""]

    private func read(
        _ connections: String, secret: String? = "from file\n", mode: Int = 0o600
    ) throws -> (found: [String: ServerConnection], problems: [String]) {
        let folder = try TemporaryFolder()
        try folder.write(#"{"connections": \#(connections)}"#, to: "org.json")
        if let secret {
            try folder.write(secret, to: "secret.txt")
            try FileManager.default.setAttributes(
                [.posixPermissions: mode], ofItemAtPath: folder.url.appending(path: "secret.txt").path)
        }
        let configuration = ConfigurationFolder(reading: folder.url, environment: Self.environment)
        let path = folder.url.path
        return (
            configuration.connections,
            (configuration.orgProblems + configuration.permissionProblems).map {
                "\($0)".replacingOccurrences(of: path, with: "FOLDER")
            }
        )
    }

    @Test(arguments: [
        (#"{"baseURL": "https://${HOST}/api"}"#, ServerConnection(baseURL: "https://crm.example.com/api")),
        (
            #"{"baseURL": "https://a.example", "auth": {"type": "bearer", "token": "${CRM_TOKEN}"}}"#,
            ServerConnection(baseURL: "https://a.example", auth: .bearer(token: "token-of-crm"))
        ),
        (
            #"""
            {"baseURL": "https://a.example",
             "auth": {"type": "basic", "username": "u", "password": {"file": "secret.txt"}}}
            """#,
            ServerConnection(baseURL: "https://a.example", auth: .basic(username: "u", password: "from file"))
        ),
        (
            #"{"baseURL": "https://a.example", "auth": {"type": "apiKey", "name": "X-Key", "value": "k"}}"#,
            ServerConnection(baseURL: "https://a.example", auth: .headerKey(name: "X-Key", value: "k"))
        ),
        (
            #"{"baseURL": "https://a.example", "auth": {"type": "apiKey", "in": "query", "name": "k", "value": "v"}}"#,
            ServerConnection(baseURL: "https://a.example", auth: .queryKey(name: "k", value: "v"))
        ),
        (
            #"""
            {"baseURL": "https://a.example", "headers": {"Accept": "text/json", "X-Tenant": "${CRM_TOKEN}"},
             "auth": {"type": "oauth", "tokenURL": "https://l.example/token?x=1", "clientId": "c",
                      "clientSecret": "${CRM_TOKEN}-${HOST}", "scope": "read", "parameters": {"audience": "a"},
                      "clientAuthentication": "header"}}
            """#,
            ServerConnection(
                baseURL: "https://a.example",
                auth: .oauth(
                    OAuthGrant(
                        tokenURL: "https://l.example/token?x=1", clientId: "c",
                        clientSecret: "token-of-crm-crm.example.com", scope: "read", parameters: ["audience": "a"],
                        usesBasic: true)),
                headers: ["Accept": "text/json", "X-Tenant": "token-of-crm"], otherSecrets: ["token-of-crm"])
        ),
    ])
    func `Connections are read`(json: String, expected: ServerConnection) throws {
        let (found, problems) = try read(#"{"crm": \#(json)}"#)
        #expect(found == ["crm": expected])
        #expect(problems == [])
    }

    @Test(arguments: [
        ("[]", #""connections" is not an object"#),
        (#"{"crm": 1}"#, "connections.crm"),
        (#"{"crm": {}}"#, "connections.crm.baseURL"),
        (#"{"crm": {"baseURL": "crm"}}"#, #"connections.crm.baseURL: "crm" is not an http or https URL"#),
        (#"{"crm": {"baseURL": "https://u:p@a"}}"#, "must have no user, query or fragment"),
        (#"{"crm": {"baseURL": "${MISSING}"}}"#, "the environment variable MISSING is not set"),
        (#"{"crm": {"baseURL": "${EMPTY}"}}"#, "the environment variable EMPTY is not set"),
        (#"{"crm": {"baseURL": "https://${HOST"}}"#, "a variable has no }"),
        (
            #"{"crm": {"baseURL": "https://a", "auth": {"type": "bearer", "token": "$CRM_TOKEN"}}}"#,
            "the value begins with $ and is not a variable. Write a variable as ${NAME}."
        ),
        (#"{"crm": {"baseURL": "https://a", "auth": {}}}"#, "connections.crm.auth.type"),
        (#"{"crm": {"baseURL": "https://a", "auth": {"type": "key"}}}"#, "Known: bearer, basic, apiKey, oauth."),
        (
            #"{"crm": {"baseURL": "https://a", "auth": {"type": "bearer"}}}"#,
            #"Add "token" with a string or an object."#
        ),
        (
            #"{"crm": {"baseURL": "https://a", "auth": {"type": "apiKey", "in": "body", "name": "n", "value": "v"}}}"#,
            "Known: header, query."
        ),
        (
            #"{"crm": {"baseURL": "https://a", "auth": {"type": "apiKey", "name": "a b", "value": "v"}}}"#,
            #"connections.crm.auth.name: "a b" is not the name of a header"#
        ),
        (
            #"{"crm": {"baseURL": "https://a", "auth": {"type": "oauth", "tokenURL": "https://l", "clientId": "c"}}}"#,
            "there is neither a clientSecret nor a refreshToken"
        ),
        (
            #"{"crm": {"baseURL": "https://a", "auth": {"type": "oauth", "tokenURL": "x", "clientId": "c", "clientSecret": "s"}}}"#,
            "connections.crm.auth.tokenURL"
        ),
        (#"{"crm": {"baseURL": "https://a", "headers": {"a b": "c"}}}"#, "connections.crm.headers.a b"),
        (
            #"{"crm": {"baseURL": "https://a", "auth": {"type": "bearer", "token": {"file": "none.txt"}}}}"#,
            "the file FOLDER/none.txt cannot be read"
        ),
        (#"{"crm": {"baseURL": "https://a", "baseUrl": "https://b"}}"#, "baseUrl"),
    ])
    func `Faults are reported with their places`(json: String, text: String) throws {
        let (_, problems) = try read(json)
        #expect(problems.contains { $0.contains(text) }, "\(problems)")
        #expect(problems.allSatisfy { $0.contains("org.json:1") }, "\(problems)")
    }

    @Test(arguments: [
        #"{"crm": "https://u:hidden@a"}"#, #"{"crm": {"baseURL": "https://a", "auth": "Bearer hidden"}}"#,
        #"{"crm": {"baseURL": "https://a", "headers": "X-Key: hidden"}}"#,
        #"{"crm": {"baseURL": "https://a", "auth": {"type": "hidden"}}}"#,
        #"{"crm": {"baseURL": "https://a", "auth": {"type": "bearer", "token": ["hidden"]}}}"#,
        #"{"crm": {"baseURL": "https://a", "auth": {"type": "basic", "username": "u", "password": 1234}}}"#,
        #"{"crm": {"baseURL": "https://a", "auth": {"type": "oauth", "parameters": "hidden"}}}"#,
    ])
    func `A value of the wrong type is not repeated`(json: String) throws {
        let (_, problems) = try read(json)
        #expect(!problems.isEmpty)
        #expect(problems.allSatisfy { !$0.contains("hidden") && !$0.contains("1234") }, "\(problems)")
    }

    @Test(arguments: [
        #"{"crm": {"baseURL": "https://u:hidden@a"}}"#, #"{"crm": {"baseURL": "u:hidden@a"}}"#,
        #"{"crm": {"baseURL": "https://a", "auth": {"type": "oauth", "tokenURL": "https://u:hidden@l", "clientId": "c", "clientSecret": "s"}}}"#,
    ])
    func `A password in a URL is not repeated`(json: String) throws {
        let (_, problems) = try read(json)
        #expect(problems.count == 1 && !problems[0].contains("hidden") && problems[0].contains("***@"), "\(problems)")
    }

    @Test(arguments: [
        ("from file\n", 0o644, "other users of this computer can read the file FOLDER/secret.txt"),
        ("\n", 0o600, "the file FOLDER/secret.txt is empty"),
    ])
    func `A file with a secret belongs to its owner`(content: String, mode: Int, text: String) throws {
        let json = #"{"crm": {"baseURL": "https://a", "auth": {"type": "bearer", "token": {"file": "secret.txt"}}}}"#
        let (found, problems) = try read(json, secret: content, mode: mode)
        #expect(found == [:])
        #expect(problems.count == 1 && problems[0].contains(text), "\(problems)")
    }

    @Test func `Secrets over HTTP are warned of, except on this machine`() throws {
        let auth = #""auth": {"type": "bearer", "token": "${CRM_TOKEN}"}"#
        let (found, problems) = try read(
            #"{"a": {"baseURL": "http://a.example", \#(auth)}, "b": {"baseURL": "http://127.0.0.1:80/x", \#(auth)}}"#)
        #expect(found.count == 2)
        #expect(problems.count == 1)
        #expect(problems[0].contains("secrets are sent to http://a.example without encryption. Use https."))
        #expect(!problems.joined().contains("token-of-crm"))
    }

    @Test func `Secrets to a token endpoint over HTTP are warned of`() throws {
        let auth = #""type": "oauth", "clientId": "c", "clientSecret": "${CRM_TOKEN}""#
        let (found, problems) = try read(
            #"{"a": {"baseURL": "https://a", "auth": {\#(auth), "tokenURL": "http://login.example/token"}}}"#)
        #expect(found.count == 1)
        #expect(problems.count == 1 && problems[0].contains("auth.tokenURL") && problems[0].contains("Use https."))
    }

    /// Their values occur in no message, as those of the authorization do.
    @Test func `Values of references and of secret headers are masked`() throws {
        let (found, _) = try read(
            #"""
            {"a": {"baseURL": "https://a", "headers": {"X-API-Key": "literal-key", "X-Tenant": "tenant"},
                   "auth": {"type": "oauth", "clientId": "c", "clientSecret": "s", "tokenURL": "https://l/t",
                            "parameters": {"audience": "api", "password": "literal", "otp": "${CRM_TOKEN}"}}}}
            """#)
        #expect(found["a"]?.otherSecrets.sorted() == ["literal", "literal-key", "token-of-crm"])
    }

    private static let store = """
        {"backend": {"type": "memory"},
         "soups": [{"soupName": "s", "indexes": [{"path": "id", "type": "string"}]}]}
        """

    private static func syncs(_ connection: String) -> String {
        """
        {"syncs": [{"syncName": "down", "syncType": "syncDown", "soupName": "s",
          "target": {"type": "listOf", "connection": "\(connection)"}, "options": {"mergeMode": "OVERWRITE"}}]}
        """
    }

    @Test func `A target uses its connection, with its secrets`() async throws {
        let folder = try TemporaryFolder([
            "userstore.json": Self.store, "usersyncs.json": Self.syncs("crm"),
            "org.json": """
            {"connections": {"crm": {"baseURL": "https://${HOST}/api", "auth": {"type": "bearer", "token": "${CRM_TOKEN}"}}}}
            """,
        ])
        var registry = PluginRegistry.standard
        try registry.register(down: ListTarget.self)
        let base = ScriptedTransport { request in
            guard request.request.headerFields[.authorization] == "Bearer token-of-crm" else {
                throw SoupError(.server, "wrong: token-of-crm")
            }
            return HTTPAnswer(status: 200, #"[{"id": "a"}]"#)
        }
        let kit = try await SoupClient.open(
            at: folder.url, options: .init(registry: registry, network: base, environment: Self.environment))
        let result = try await kit.syncs.reSync(named: "down").result
        #expect(result.error == nil)
        #expect(result.saved == 1)
        #expect(base.requests.map { $0.request.path } == ["/api/list"])
        #expect(base.requests.map { $0.request.authority } == ["crm.example.com"])
        try await kit.close()
    }

    /// A server puts the whole URL of the next page into its response.
    @Test func `Pages of the http target stay below the connection`() async throws {
        let syncs = """
            {"syncs": [{"syncName": "down", "syncType": "syncDown", "soupName": "s", "options": {"mergeMode": "OVERWRITE"},
              "target": {"type": "http", "connection": "crm", "path": "/contacts", "records": "results",
                         "paging": {"type": "cursor", "next": "next"}}}]}
            """
        let folder = try TemporaryFolder([
            "userstore.json": Self.store, "usersyncs.json": syncs,
            "org.json": #"{"connections": {"crm": {"baseURL": "https://crm.example.com/api/"}}}"#,
        ])
        let base = ScriptedTransport { request in
            request[parameter: "page"] == "2"
                ? HTTPAnswer(#"{"results": [{"id": "b"}], "next": null}"#)
                : HTTPAnswer(
                    #"{"results": [{"id": "a"}], "next": "https://crm.example.com/api/contacts?page=2"}"#)
        }
        let kit = try await SoupClient.open(at: folder.url, options: .init(network: base, environment: [:]))
        let result = try await kit.syncs.reSync(named: "down").result
        #expect(result.saved == 2, "\(String(describing: result.error))")
        #expect(base.requests.map(\.pathAndQuery) == ["/api/contacts", "/api/contacts?page=2"])
        #expect(base.requests.allSatisfy { $0.request.authority == "crm.example.com" })
        try await kit.close()
    }

    @Test func `A service with absolute URLs needs no org file`() async throws {
        let syncs = """
            {"syncs": [{"syncName": "down", "syncType": "syncDown", "soupName": "s", "options": {"mergeMode": "OVERWRITE"},
              "target": {"type": "http", "url": "https://open.example/list", "records": "results"}},
             {"syncName": "org", "syncType": "syncDown", "soupName": "s", "options": {"mergeMode": "OVERWRITE"},
              "target": {"type": "http", "path": "/list", "records": "results"}}]}
            """
        let folder = try TemporaryFolder(["userstore.json": Self.store, "usersyncs.json": syncs])
        let base = ScriptedTransport { _ in HTTPAnswer(#"{"results": [{"id": "a"}]}"#) }
        let kit = try await SoupClient.open(at: folder.url, options: .init(network: base, environment: [:]))
        #expect(try await kit.syncs.reSync(named: "down").result.saved == 1)
        let error = try await kit.syncs.reSync(named: "org").result.error
        #expect(error?.message.contains("no server is configured") == true)
        #expect(base.requests.count == 1)
        try await kit.close()
    }

    @Test func `An unknown connection of a target is reported`() throws {
        let folder = try TemporaryFolder([
            "userstore.json": Self.store, "usersyncs.json": Self.syncs("cmr"),
            "org.json": #"{"connections": {"crm": {"baseURL": "https://crm.example.com"}}}"#,
        ])
        var registry = PluginRegistry.standard
        try registry.register(down: ListTarget.self)
        let problems = ConfigurationFolder(reading: folder.url, registry: registry, environment: [:]).problems
        let errors = problems.filter { $0.severity == .error }
        #expect(errors.count == 1)
        let text = "\(errors.first.map { "\($0)" } ?? "")"
        #expect(text.hasPrefix("usersyncs.json:2:"))
        #expect(text.contains(#"syncs[0].target.connection: there is no connection "cmr". "#), "\(text)")
        #expect(text.contains("crm"))
    }
}

/// A target of a list, over the connection that its configuration names.
private struct ListTarget: SyncDownTarget {
    struct Configuration: Decodable, Sendable { var connection: String }

    static let name: PluginName = "listOf"
    let connectionName: String?
    let idField = "id"

    init(configuration: Configuration) { connectionName = configuration.connection }

    func page(after cursor: PageCursor?, in context: SyncContext) async throws -> RecordPage {
        RecordPage(RecordBatch(try await context.get(context.basePath + "/list").json().elements ?? []))
    }
}
