// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupCore
import SoupKit
import SoupTesting
import Testing

@Suite struct ConfigurationFolderTests {
    /// One file of each kind, with every kind of error that the format of the mobile SDKs allows.
    private static let broken = [
        "userstore.json": #"""
        {
          "soups": [
            { "soupName": "contacts", "indexes": [ { "path": "Id", "type": "string" }, { "path": "__local__", "type": "string" } ] },
            { "soupName": "empty", "indexes": [] },
            { "soupName": "odd", "indexes": [ { "path": "Id", "type": "text" } ] }
          ]
        }
        """#,
        "usersyncs.json": #"""
        {
          "syncs": [
            { "syncType": "syncDown", "soupName": "contacts",
              "target": { "type": "soql", "query": "SELECT Id FROM Contact" }, "options": { "mergeMode": "OVERWRITE" } },
            { "syncName": "b", "syncType": "syncDown", "soupName": "contacts",
              "target": { "type": "soqll", "query": "SELECT Id FROM Contact" }, "options": { "mergeMode": "OVERWRITE" } },
            { "syncName": "c", "syncType": "syncUp", "soupName": "contacts",
              "target": { "iOSImpl": "MyTarget" }, "options": { "mergeMode": "OVERWRITE" } },
            { "syncName": "d", "syncType": "syncDown", "soupName": "contacts",
              "target": { "type": "custom" }, "options": { "mergeMode": "OVERWRITE" } },
            { "syncName": "e", "syncType": "syncDown", "soupName": "contacts",
              "target": { "type": "soql" }, "options": { "mergeMode": "OVERWRITE" } },
            { "syncName": "f", "syncType": "syncUp", "soupName": "contacts",
              "target": {}, "options": { "mergeMode": "MERGE_IT" } },
            { "syncName": "f", "syncType": "syncUp", "soupName": "contacts",
              "target": {}, "options": { "mergeMode": "OVERWRITE" } },
            { "syncName": "g", "syncType": "syncUp", "soupName": "kontacts",
              "target": {}, "options": { "mergeMode": "OVERWRITE" } },
            { "syncName": "h", "syncType": "syncUp", "soupName": "contacts",
              "target": [], "options": { "mergeMode": "OVERWRITE", "fieldlist": "Name" } }
          ]
        }
        """#,
        "globalstore.json": "{\n  \"soups\": [\n    { \"soupName\": \"x\" },\n  ]\n}",
        "org.json": #"{"instanceUrl": 5}"#,
    ]

    @Test func `All errors of all files are reported together`() throws {
        let folder = try TemporaryFolder(Self.broken)
        let configuration = ConfigurationFolder(reading: folder.url, environment: [:])
        let errors = configuration.problems.filter { $0.severity == .error }
        #expect(
            errors.map { "\($0.place): \($0.message)" } == [
                "userstore.json:4:39: soups[1].indexes: the soup has no indexes",
                #"userstore.json:5:63: soups[2].indexes[0].type: no index type "text""#,
                #"usersyncs.json:3:5: syncs[0].syncName: "syncName" is missing"#,
                #"usersyncs.json:6:27: syncs[1].target.type: no sync-down target "soqll" is registered"#,
                #"usersyncs.json:8:30: syncs[2].target.iOSImpl: no sync-up target "MyTarget" is registered"#,
                #"usersyncs.json:10:27: syncs[3].target.type: a target of type "custom" must name its class"#,
                #"usersyncs.json:12:17: syncs[4].target.query: "query" is missing"#,
                #"usersyncs.json:14:47: syncs[5].options.mergeMode: no merge mode "MERGE_IT""#,
                #"usersyncs.json:15:19: syncs[6].syncName: the sync name "f" is already used by syncs[5]"#,
                #"usersyncs.json:17:58: syncs[7].soupName: the store has no soup "kontacts""#,
                "usersyncs.json:20:17: syncs[8].target: expected an object, found an array",
                #"usersyncs.json:20:73: syncs[8].options.fieldlist: expected an array, found the string "Name""#,
                "globalstore.json:4:3: not JSON: unexpected character",
                "org.json:1:17: instanceUrl: expected a string, found a number",
            ])
        #expect(configuration.problems.allSatisfy { $0.hint?.isEmpty == false })
        #expect(configuration.problems.count - errors.count == 3, "syncs up without a field list")
    }

    @Test func `Nothing is created if a file has an error`() async throws {
        let folder = try TemporaryFolder(Self.broken)
        let error = await #expect(throws: ConfigurationError.self) {
            _ = try await SoupClient.open(at: folder.url, options: .init(environment: [:]))
        }
        #expect(error?.problems.count == 13, "the errors of the global scope are not reported")
        await #expect(throws: ConfigurationError.self) {
            _ = try await SoupClient.openStore(at: folder.url)
        }
        #expect(try folder.files == Self.broken.keys.sorted())
    }

    @Test func `An empty folder and a missing folder are reported`() throws {
        let folder = try TemporaryFolder()
        let empty = ConfigurationFolder(reading: folder.url, environment: [:])
        #expect(empty.problems.map(\.message) == ["the folder contains no configuration file"])
        let none = ConfigurationFolder(reading: URL(filePath: folder.path + "/nowhere"), environment: [:])
        #expect(none.problems.map(\.message) == ["the folder does not exist"])
    }

    @Test func `The environment overrides the org file`() throws {
        let folder = try TemporaryFolder([
            "org.json": #"{"instanceUrl": "https://one.example", "accessToken": "a", "apiVersion": "60.0"}"#
        ])
        func read(_ environment: [String: String]) -> ConfigurationFolder {
            ConfigurationFolder(reading: folder.url, environment: environment)
        }
        #expect(read([:]).credentials?.instanceURL == "https://one.example")
        #expect(read([:]).credentials?.apiPath == "/services/data/v60.0")
        let other = read(["SOUP_INSTANCE_URL": "http://127.0.0.1:8080", "SOUP_ACCESS_TOKEN": "b"]).credentials
        #expect(other?.instanceURL == "http://127.0.0.1:8080")
        #expect(other?.accessToken == "b")
        #expect(other?.apiPath == "/services/data/v60.0")
        #expect(read(["SOUP_INSTANCE_URL": "", "SOUP_ACCESS_TOKEN": ""]).credentials?.accessToken == "a")
    }

    @Test func `The environment alone defines the server`() throws {
        let folder = try TemporaryFolder()
        let set = ConfigurationFolder(
            reading: folder.url, environment: ["SOUP_INSTANCE_URL": "https://two.example", "SOUP_ACCESS_TOKEN": "t"])
        #expect(set.credentials == SalesforceCredentials(instanceURL: "https://two.example", accessToken: "t"))
        #expect(set.orgProblems == [])
        let wrong = ConfigurationFolder(reading: folder.url, environment: ["SOUP_INSTANCE_URL": "nonsense"])
        #expect(
            wrong.orgProblems.map(\.description) == [
                #"SOUP_INSTANCE_URL: "nonsense" is not an http or https URL. "#
                    + "Set this environment variable to a URL such as https://example.my.salesforce.com, or unset it."
            ])
        #expect(ConfigurationFolder(reading: folder.url, environment: [:]).credentials == nil)
    }

    /// The message does not repeat the password of the URL.
    @Test func `An invalid variable is not reported as a fault of the file`() throws {
        let folder = try TemporaryFolder([
            "org.json": #"{"instanceUrl": "https://one.example", "accessToken": "a"}"#
        ])
        let wrong = ConfigurationFolder(
            reading: folder.url, environment: ["SOUP_INSTANCE_URL": "https://me:hunter22@two.example"])
        #expect(wrong.credentials == nil)
        #expect(
            wrong.orgProblems.map(\.description) == [
                #"SOUP_INSTANCE_URL: "https://***@two.example" must have no user, query or fragment. "#
                    + "Set this environment variable to a URL such as https://example.my.salesforce.com, or unset it."
            ])
        try folder.write(#"{"accessToken": "a", "apiVersion": "x"}"#, to: "org.json")
        let both = ConfigurationFolder(reading: folder.url, environment: ["SOUP_INSTANCE_URL": "nonsense"])
        #expect(both.orgProblems.map(\.place.description) == ["SOUP_INSTANCE_URL"])
        try folder.write(#"{"instanceUrl": "https://one.example", "apiVersion": "x"}"#, to: "org.json")
        let all = ConfigurationFolder(reading: folder.url, environment: ["SOUP_INSTANCE_URL": "nonsense"])
        #expect(all.orgProblems.map(\.place.description) == ["SOUP_INSTANCE_URL", "org.json:1:54: apiVersion"])
    }

    @Test func `A file without a session may have comments`() throws {
        func problems(_ file: String) throws -> [String] {
            let folder = try TemporaryFolder(["org.json": file])
            let read = ConfigurationFolder(reading: folder.url, environment: [:])
            #expect(read.credentials == nil, "\(file)")
            return read.orgProblems.map(\.description)
        }
        let connections = #""connections": {"one": {"baseURL": "https://one.example"}}"#
        #expect(try problems("{\(connections)}") == [])
        #expect(try problems(#"{"_note": "x", \#(connections)}"#) == [])
        #expect(try problems(#"{"plugins": []}"#) == [])
        let misspelt = try problems(#"{"plugin": [], \#(connections)}"#)
        #expect(misspelt.count == 1 && misspelt[0].contains(#"warning: the key "plugin" is not known"#), "\(misspelt)")
        #expect(misspelt[0].contains(#"Did you mean "plugins"?"#), "\(misspelt)")
        // A key of a session shows that a session is meant.
        #expect(try problems(#"{"accessToken": "a", \#(connections)}"#).contains { $0.contains("instanceUrl") })
        #expect(try problems(#"{"_note": "x"}"#).contains { $0.contains("instanceUrl") })
        #expect(try problems(#"{"transport": null}"#).contains { $0.contains("instanceUrl") })
    }

    @Test func `Unknown keys of the org file are reported`() throws {
        func warnings(_ keys: String) throws -> [String] {
            let folder = try TemporaryFolder(["org.json": #"{"instanceUrl": "https://one.example", \#(keys)}"#])
            return ConfigurationFolder(reading: folder.url, environment: [:]).orgProblems.map(\.description)
        }
        let known =
            "accessToken, apiVersion, clientId, clientSecret, connections, credentials, deletes, instanceUrl, loginUrl, "
            + "password, plugins, refreshToken, requestLimitPercent, "
        let ignored = "is not known and is ignored"
        #expect(
            try warnings(#""accesToken": "a""#) == [
                #"org.json:1:54: accesToken: warning: the key "accesToken" \#(ignored). Did you mean "accessToken"?"#
            ])
        #expect(
            try warnings(#""accessToken": "a", "region": "x""#) == [
                #"org.json:1:70: region: warning: the key "region" \#(ignored). Known: \#(known)transport, username."#
            ])
        #expect(try warnings(#""accessToken": "a", "_note": "x", "transport": null"#) == [])
        #expect(try warnings(#""region": "x""#).last?.contains("there is no access token") == true)
    }

    @Test func `A file with secrets that others can read causes a warning`() throws {
        let folder = try TemporaryFolder([
            "userstore.json": #"{"soups": []}"#,
            "org.json": #"{"instanceUrl": "https://one.example", "accessToken": "a"}"#,
        ])
        func warnings(_ mode: Int) throws -> [String] {
            try FileManager.default.setAttributes(
                [.posixPermissions: mode], ofItemAtPath: folder.path + "/org.json")
            return ConfigurationFolder(reading: folder.url, environment: [:]).permissionProblems.map(\.message)
        }
        let message = "other users of this computer can read the file, which contains secrets"
        #expect(try warnings(0o644) == [message] && warnings(0o640) == [message] && warnings(0o604) == [message])
        #expect(try warnings(0o600) == [])
        try Data(#"{"instanceUrl": "https://one.example"}"#.utf8).write(to: URL(filePath: folder.path + "/org.json"))
        #expect(try !warnings(0o644).contains(message))
        func warnings(ofProxy url: String) throws -> [String] {
            let transport = #"{"type": "urlsession", "proxy": "\#(url)"}"#
            let text = #"{"instanceUrl": "https://one.example", "transport": \#(transport)}"#
            try Data(text.utf8).write(to: URL(filePath: folder.path + "/org.json"))
            return try warnings(0o644)
        }
        for url in ["http://me:pass@proxy.example:8080", "me:pass@proxy.example", "http://a:p@ss@proxy.example/"] {
            #expect(try warnings(ofProxy: url) == [message], "\(url)")
        }
        for url in ["http://proxy.example:8080", "http://me@proxy.example:8080", "http://me:@proxy.example", ""] {
            #expect(try warnings(ofProxy: url) == [], "\(url)")
        }
    }

    @Test(arguments: [
        (#""auth": {"type": "bearer", "token": "t"}"#, true),
        (#""auth": {"type": "bearer", "token": "${TOKEN}"}"#, false),
        (#""auth": {"type": "basic", "username": "ana", "password": "p"}"#, true),
        (#""auth": {"type": "basic", "username": "ana", "password": {"file": "secret.txt"}}"#, false),
        (#""auth": {"type": "apiKey", "name": "X-Key", "value": "k"}"#, true),
        (#""auth": {"type": "oauth", "clientId": "c", "clientSecret": "s"}"#, true),
        (#""auth": {"type": "oauth", "clientId": "c", "refreshToken": "${TOKEN}"}"#, false),
        (#""auth": {"type": "oauth", "clientId": "c", "parameters": {"audience": "a", "api_key": "k"}}"#, true),
        (#""headers": {"Accept": "application/json", "X-Api-Key": "k"}"#, true),
        (#""headers": {"Accept": "application/json", "X-Api-Key": "${TOKEN}"}"#, false),
    ])
    func `Only a connection with secrets causes a warning`(members: String, isWarned: Bool) throws {
        let folder = try TemporaryFolder([
            "org.json": #"{"connections": {"crm": {"baseURL": "https://crm.example", \#(members)}}}"#
        ])
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: folder.path + "/org.json")
        let found = ConfigurationFolder(reading: folder.url, environment: [:]).permissionProblems.count
        #expect(found == (isWarned ? 1 : 0))
    }

    /// Returns the credentials of an `org.json` if the environment also defines the server.
    private func credentials(_ file: String, at instance: String, token: String? = nil) throws -> SalesforceCredentials?
    {
        let folder = try TemporaryFolder(["org.json": file])
        var environment = ["SOUP_INSTANCE_URL": instance]
        environment["SOUP_ACCESS_TOKEN"] = token
        return ConfigurationFolder(reading: folder.url, environment: environment).credentials
    }

    private static let secrets = #"""
        "accessToken": "a", "refreshToken": "r", "clientId": "c", "clientSecret": "s", "username": "u", "password": "p"
        """#

    @Test(arguments: [
        "https://two.example", "http://one.example", "https://one.example:8443", "https://one.example.evil.example",
        "http://127.0.0.1:8080",
    ])
    func `No secret of the file is sent to another server`(instance: String) throws {
        let plain = #"{"instanceUrl": "https://one.example", \#(Self.secrets)}"#
        let bare = SalesforceCredentials(instanceURL: instance, clientId: "c", username: "u")
        #expect(try credentials(plain, at: instance) == bare)
        var own = bare
        own.accessToken = "mine"
        #expect(try credentials(plain, at: instance, token: "mine") == own)

        let login = #"{"instanceUrl": "https://one.example", "loginUrl": "https://login.example", \#(Self.secrets)}"#
        let renewing = SalesforceCredentials(
            instanceURL: instance, refreshToken: "r", clientId: "c", clientSecret: "s", username: "u", password: "p",
            loginURL: "https://login.example")
        #expect(try credentials(login, at: instance) == renewing)

        let empty = #"{"instanceUrl": "", "loginUrl": "", \#(Self.secrets)}"#
        #expect(try credentials(empty, at: instance) == bare)
    }

    @Test(arguments: ["https://one.example", "HTTPS://One.Example/", "https://one.example:443"])
    func `The secrets are used for every spelling of the file's URL`(instance: String) throws {
        let whole = SalesforceCredentials(
            instanceURL: instance, accessToken: "a", refreshToken: "r", clientId: "c", clientSecret: "s", username: "u",
            password: "p")
        #expect(try credentials(#"{"instanceUrl": "https://one.example", \#(Self.secrets)}"#, at: instance) == whole)
    }

    @Test func `Unused secrets are reported`() throws {
        let folder = try TemporaryFolder(["org.json": #"{"instanceUrl": "https://one.example", "accessToken": "a"}"#])
        var environment = ["SOUP_INSTANCE_URL": "https://two.example"]
        #expect(
            ConfigurationFolder(reading: folder.url, environment: environment).orgProblems.map(\.description) == [
                "SOUP_INSTANCE_URL: warning: this server differs from the one in org.json; accessToken of the file is "
                    + "not used, so that no secret is sent to a server that the file does not name. "
                    + "Set SOUP_ACCESS_TOKEN for this server, or write its URL and secrets into org.json."
            ])
        environment["SOUP_ACCESS_TOKEN"] = "b"
        #expect(ConfigurationFolder(reading: folder.url, environment: environment).orgProblems == [])
    }

    @Test func `A token without a server is a problem`() throws {
        let folder = try TemporaryFolder()
        let configuration = ConfigurationFolder(reading: folder.url, environment: ["SOUP_ACCESS_TOKEN": "t"])
        #expect(configuration.credentials == nil)
        #expect(
            configuration.orgProblems.map(\.description) == [
                "SOUP_ACCESS_TOKEN: an access token is set, but no server. "
                    + "Also set SOUP_INSTANCE_URL, or add org.json."
            ])
    }
}
