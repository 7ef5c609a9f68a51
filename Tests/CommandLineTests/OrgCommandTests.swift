// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

import Foundation
import HTTPTypes
import SoupCore
import SoupKit
import Testing

@Suite struct OrgCommandTests {
    /// Starts an org, asks it something when it says that it answers, and tells it to end.
    private func ask(
        _ arguments: [String], _ path: String, token: Bool = true
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

    @Test func itAnswersWhenItSaysSoAndEndsWhenToldTo() async throws {
        let medium = try await ask([], Self.count + "Contact")
        #expect(medium.answer.status == 200)
        #expect(try JSONValue(parsing: medium.answer.body)["totalSize"] == 1000)
        #expect(medium.status == 0)
        let large = try await ask(["--seed", "large 300", "--json"], Self.count + "Account")
        #expect(try JSONValue(parsing: large.answer.body)["totalSize"] == 300)
        #expect(try await ask(["--seed", "tiny"], Self.count + "Account", token: false).answer.status == 401)
    }

    @Test func theAdministrationIsOpenOnlyWhenAskedFor() async throws {
        #expect(try await ask(["--seed", "tiny"], "/_emu/state/Account").answer.status == 404)
        let open = try await ask(["--seed", "tiny", "--admin"], "/_emu/state/Account")
        #expect(open.answer.status == 200)
        #expect(try JSONValue(parsing: open.answer.body).arrayValue?.count == 4)
    }

    @Test func aSeedMayBeAFile() async throws {
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
}

#endif
