// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupSalesforce
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

    @Test func `A URL and a token are sufficient`() throws {
        let read = try read(#"{"instanceUrl": "http://127.0.0.1:8080", "accessToken": "t"}"#)
        #expect(read == SalesforceCredentials(instanceURL: "http://127.0.0.1:8080", accessToken: "t"))
        #expect(read.apiPath == "/services/data/v66.0")
    }

    @Test func `All keys are read and written`() throws {
        let all = try read(
            #"""
            {"instanceUrl": "https://a", "accessToken": "t", "apiVersion": "v59.0", "refreshToken": "r", "clientId": "c",
             "clientSecret": "s", "username": "u", "password": "p", "loginUrl": "https://l"}
            """#)
        #expect(
            all
                == SalesforceCredentials(
                    instanceURL: "https://a", accessToken: "t", apiVersion: "59.0", refreshToken: "r", clientId: "c",
                    clientSecret: "s", username: "u", password: "p", loginURL: "https://l"))
        #expect(try JSONText(encoding: all).decode(SalesforceCredentials.self) == all)
    }

    @Test(arguments: ["66.0", "v66.0", "9.0", "100.0"]) func `A version is a number and .0`(version: String) throws {
        let path = try read(#"{"instanceUrl": "https://a", "accessToken": "t", "apiVersion": "\#(version)"}"#).apiPath
        #expect(path == "/services/data/v\(version.replacing("v", with: ""))")
    }

    @Test(arguments: ["66", "66.", "66.1", "66.00", "066.0", ".0", "v", "vv66.0", "66.0.0", "1000.0", "66.0 ", "6٦.0"])
    func `Other versions are rejected`(version: String) throws {
        let problems = try problems(#"{"instanceUrl": "https://a", "accessToken": "t", "apiVersion": "\#(version)"}"#)
        #expect(problems.count == 1 && problems[0].hasPrefix("apiVersion: "), "\(problems)")
    }

    @Test(
        arguments: [
            ("https://a:65535", nil), ("https://[::1]", nil), ("https://[::1]:8080/p", nil), ("https://a:", nil),
            ("https://a:0", "has a port that is not a number from 1 to 65535"),
            ("https://a:99999", "has a port that is not a number from 1 to 65535"),
            ("https://a:80x/p", "has a port that is not a number from 1 to 65535"),
            ("https://u:p@a", "must have no user, query or fragment"),
            ("https://a/?x", "must have no user, query or fragment"),
            ("https://a#x", "must have no user, query or fragment"),
            ("https://", "is not an http or https URL"), ("ftp://a", "is not an http or https URL"),
            ("a.example", "is not an http or https URL"), ("https://a b", "is not an http or https URL"),
        ] as [(String, String?)])
    func `The fault of a URL is described`(url: String, fault: String?) {
        #expect(SalesforceCredentials.fault(inServer: url) == fault)
    }

    @Test func `Empty texts count as absent`() throws {
        let read = try read(#"{"loginUrl": "https://l", "instanceUrl": "", "refreshToken": "", "clientId": "c"}"#)
        #expect(read == SalesforceCredentials(instanceURL: "https://l", clientId: "c", loginURL: "https://l"))
    }

    @Test(arguments: [
        "{}", #"{"instanceUrl": 7}"#, #"{"instanceUrl": "example.com"}"#, #"{"instanceUrl": "ftp://x"}"#,
        #"{"instanceUrl": "https://u:p@x"}"#, #"{"instanceUrl": "https://u@\u0301x"}"#,
        #"{"instanceUrl": "https://x", "loginUrl": "https://x?a"}"#,
    ])
    func `Invalid URLs are reported with their path`(text: String) throws {
        let problems = try problems(text)
        #expect(!problems.isEmpty)
        #expect(
            problems.allSatisfy { $0.hasPrefix(text.contains("loginUrl") ? "loginUrl" : "instanceUrl") }, "\(problems)")
    }

    @Test func `Descriptions contain no secrets`() {
        let secret = SalesforceCredentials(
            instanceURL: "https://a", accessToken: "xyzzy1", refreshToken: "xyzzy2", clientId: "c",
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
