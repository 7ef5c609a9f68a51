// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SalesforceAPI
import SoupCore
import Testing

@Suite struct SalesforceCredentialsTests {
    private func read(_ text: String) throws -> SalesforceCredentials {
        var problems: [ConfigurationProblem] = []
        let value = ConfigurationDecoder.decode(
            SalesforceCredentials.self, from: try JSONValue(parsing: text), problems: &problems)
        return try #require(value, "\(problems)")
    }

    private func problems(_ text: String) throws -> [String] {
        var problems: [ConfigurationProblem] = []
        _ = ConfigurationDecoder.decode(
            SalesforceCredentials.self, from: try JSONValue(parsing: text), problems: &problems)
        return problems.map(\.description)
    }

    @Test func aTokenIsEnough() throws {
        let read = try read(#"{"instanceUrl": "http://127.0.0.1:8080", "accessToken": "t"}"#)
        #expect(read == SalesforceCredentials(instanceUrl: "http://127.0.0.1:8080", accessToken: "t"))
        #expect(read.apiPath == "/services/data/v66.0")
    }

    @Test func allKeys() throws {
        let all = try read(
            #"""
            {"instanceUrl": "https://a", "accessToken": "t", "apiVersion": "v59.0", "refreshToken": "r", "clientId": "c",
             "clientSecret": "s", "username": "u", "password": "p", "loginUrl": "https://l"}
            """#)
        #expect(
            all
                == SalesforceCredentials(
                    instanceUrl: "https://a", accessToken: "t", apiVersion: "59.0", refreshToken: "r", clientId: "c",
                    clientSecret: "s", username: "u", password: "p", loginUrl: "https://l"))
        #expect(try JSONText(encoding: all).decode(SalesforceCredentials.self) == all)
    }

    @Test func emptyTextsAreAbsent() throws {
        let read = try read(#"{"loginUrl": "https://l", "instanceUrl": "", "refreshToken": "", "clientId": "c"}"#)
        #expect(read == SalesforceCredentials(instanceUrl: "https://l", clientId: "c", loginUrl: "https://l"))
    }

    @Test(arguments: [
        "{}", #"{"instanceUrl": 7}"#, #"{"instanceUrl": "example.com"}"#, #"{"instanceUrl": "ftp://x"}"#,
        #"{"instanceUrl": "https://u:p@x"}"#, #"{"instanceUrl": "https://u@\u0301x"}"#,
        #"{"instanceUrl": "https://x", "loginUrl": "https://x?a"}"#,
    ])
    func refused(text: String) throws {
        let problems = try problems(text)
        #expect(!problems.isEmpty)
        #expect(
            problems.allSatisfy { $0.hasPrefix(text.contains("loginUrl") ? "loginUrl" : "instanceUrl") }, "\(problems)")
    }

    @Test func secretsStayOutOfTexts() {
        let secret = SalesforceCredentials(
            instanceUrl: "https://a", accessToken: "xyzzy1", refreshToken: "xyzzy2", clientId: "c",
            clientSecret: "xyzzy3", password: "xyzzy4")
        var dumped = ""
        dump(secret, to: &dumped)
        let texts = [
            "\(secret)", String(reflecting: secret), dumped, "\(["a": secret])", String(describing: Optional(secret)),
        ]
        #expect(texts.allSatisfy { !$0.contains("xyzzy") }, "\(texts)")
        #expect(texts[0] == "https://a with access token, refresh token, password, client secret")
    }
}
