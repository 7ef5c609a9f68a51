// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import Foundation
import HTTPTypes
import SoupLocalOrg
import SoupCore
import SoupKit
import Testing

/// Tests `soup org serve`.
@Suite struct OrgTests {
    /// Starts an org, sends it a request after its first line, and ends it with a signal.
    private func get(
        _ path: String, servedWith arguments: [String], token: Bool = true
    ) async throws -> (answer: HTTPAnswer, status: Int32) {
        let running = try SoupTool.start(["org", "serve"] + arguments)
        try running.write("")
        let line = try #require(await running.output.first { _ in true })
        let json = try JSONValue(parsing: line)
        #expect(json.objectValue?.keys == ["url", "accessToken"])
        let url = try #require(json["url"]?.stringValue)
        #expect(url.hasPrefix("http://127.0.0.1:"))
        var request = HTTPRequest(
            method: .get, scheme: "http", authority: String(url.dropFirst("http://".count)), path: path)
        if token { request.headerFields[.authorization] = "Bearer \(json["accessToken"]?.stringValue ?? "")" }
        let answer = try await URLSessionTransport().send(request, body: nil)
        running.kill(SIGTERM)
        return (answer, await running.end())
    }

    private static let count = "/services/data/v66.0/query?q=SELECT%20count()%20FROM%20"

    @Test func `The org serves after its first line until it is interrupted`() async throws {
        let medium = try await get(Self.count + "Contact", servedWith: [])
        #expect(medium.answer.status == 200)
        #expect(try JSONValue(parsing: medium.answer.body)["totalSize"] == 1000)
        #expect(medium.status == 0)
        let large = try await get(Self.count + "Account", servedWith: ["--seed", "large 300", "--json"])
        #expect(try JSONValue(parsing: large.answer.body)["totalSize"] == 300)
        let refused = try await get(Self.count + "Account", servedWith: ["--seed", "tiny"], token: false)
        #expect(refused.answer.status == 401)
    }

    @Test func `The administration is served only with --admin`() async throws {
        #expect(try await get("/_emu/state/Account", servedWith: ["--seed", "tiny"]).answer.status == 404)
        let open = try await get("/_emu/state/Account", servedWith: ["--seed", "tiny", "--admin"])
        #expect(open.answer.status == 200)
        #expect(try JSONValue(parsing: open.answer.body).arrayValue?.count == 4)
    }

    @Test func `A seed can be a file`() async throws {
        let folder = try WorkFolder([
            "seed.json": #"""
            {"objects": {}, "seed": [{"object": "Account", "key": "a", "values": {"Name": "Only"}}]}
            """#, "broken.json": "{",
        ])
        let broken = try await SoupTool.run("org", "serve", "--seed", folder.path + "/broken.json", "--json")
        #expect(broken.status == 1)
        #expect(try broken.jsonErrors.map { $0["file"] } == [.string(folder.path + "/broken.json")])
        let none = try await SoupTool.run("org", "serve", "--seed", "huge", "--json")
        #expect(none.status == 1)
        #expect(try none.jsonErrors.map { $0["code"] } == ["badConfiguration"])
        #expect(try await SoupTool.run("org", "serve", "--port", "99999", "--json").status == 2)
    }

    #if TLS
    @Test func `HTTPS is served with a new certificate`() async throws {
        let running = try SoupTool.start(["org", "serve", "--seed", "tiny", "--tls", "--http-port", "0"])
        try running.write("")
        let line = try JSONValue(parsing: try #require(await running.output.first { _ in true }))
        #expect(line.objectValue?.keys == ["url", "accessToken", "certificate", "httpUrl"])
        let file = try #require(line.certificate?.stringValue)
        let certificate = String(decoding: FileManager.default.contents(atPath: file) ?? Data(), as: UTF8.self)
        #expect(certificate.hasPrefix("-----BEGIN CERTIFICATE-----\n"))
        #expect(!certificate.contains("KEY"))
        // Clients do not trust the certificate by default. HTTP serves the same org, whose identity has the HTTPS URL.
        #expect(line.url?.stringValue?.hasPrefix("https://127.0.0.1:") == true)
        await #expect(throws: SoupError.self) {
            try await get("/services/data", from: line.url, token: line.accessToken)
        }
        let root = try await get("/services/data/v60.0", from: line.httpUrl, token: line.accessToken)
        let identity = try JSONValue(parsing: root.body).identity?.stringValue ?? ""
        #expect(identity.hasPrefix((line.url?.stringValue ?? "?") + "/id/00D"))
        running.kill(SIGTERM)
        #expect(await running.end() == 0)
        #expect(!FileManager.default.fileExists(atPath: file))
    }

    private func get(_ path: String, from url: JSONValue?, token: JSONValue?) async throws -> HTTPAnswer {
        let parts = (url?.stringValue ?? "").split(separator: "://", maxSplits: 1).map(String.init)
        return try await URLSessionTransport().send(
            HTTPRequest(
                method: .get, scheme: parts.first, authority: parts.last, path: path,
                headerFields: [.authorization: "Bearer \(token?.stringValue ?? "")"]), body: nil)
    }

    @Test func `HTTPS is served with a given certificate`() async throws {
        let certificate = try OrgCertificate.selfSigned()
        let folder = try WorkFolder(["c.pem": certificate.chain, "k.pem": certificate.key, "bad.pem": "x"])
        func arguments(_ key: String) -> [String] {
            [
                "org", "serve", "--seed", "tiny", "--tls", "--tls-certificate", folder.path + "/c.pem", "--tls-key",
                folder.path + "/" + key,
            ]
        }
        let running = try SoupTool.start(arguments("k.pem"))
        try running.write("")
        let line = try JSONValue(parsing: try #require(await running.output.first { _ in true }))
        #expect(line.certificate?.stringValue == folder.path + "/c.pem")
        running.kill(SIGTERM)
        #expect(await running.end() == 0)
        #expect(FileManager.default.fileExists(atPath: folder.path + "/c.pem"))
        #expect(try await SoupTool.run(arguments("bad.pem")).status == 1)
        #expect(try await SoupTool.run(arguments("none.pem")).status == 1)
        #expect(try await SoupTool.run("org", "serve", "--tls", "--tls-key", "k.pem").status == 2)
        #expect(try await SoupTool.run("org", "serve", "--tls-certificate", "c", "--tls-key", "k").status == 2)
        #expect(try await SoupTool.run("org", "serve", "--http-port", "0").status == 2)
    }
    #endif
}

#endif
