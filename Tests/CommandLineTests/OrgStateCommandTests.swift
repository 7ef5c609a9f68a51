// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

import Foundation
import HTTPTypes
import SoupCore
import SoupKit
import Testing

/// `soup org serve --state` and `soup org import-describe`, as people run them.
@Suite struct OrgStateCommandTests {
    /// Serves an org, sends it one request, and ends it by a signal.
    private func served(
        _ arguments: [String], _ method: HTTPRequest.Method, _ path: String, _ body: String? = nil,
        token: String? = nil,
        endedBy signal: Int32
    ) async throws -> (answer: HTTPAnswer, token: String) {
        let running = try SoupTool.start(["org", "serve"] + arguments)
        try running.write("")
        let line = try JSONValue(parsing: try #require(await running.output.first { _ in true }))
        let own = line.accessToken?.stringValue ?? ""
        let request = HTTPRequest(
            method: method, scheme: "http",
            authority: String((line.url?.stringValue ?? "").dropFirst("http://".count)),
            path: "/services/data/v60.0/" + path,
            headerFields: [.authorization: "Bearer \(token ?? own)", .contentType: "application/json"])
        let answer = try await URLSessionTransport().send(request, body: body.map { Array($0.utf8) })
        running.kill(signal)
        _ = await running.end()
        return (answer, own)
    }

    @Test(arguments: [SIGKILL, SIGTERM]) func aKeptOrgOutlivesItsProcess(_ signal: Int32) async throws {
        let folder = try WorkFolder([:])
        let state = ["--state", folder.path + "/org.db"]
        let first = try await served(
            state + ["--seed", "tiny"], .post, "sobjects/Account", #"{"Name": "Kept"}"#, endedBy: signal)
        #expect(first.answer.status == 201)
        let id = try JSONValue(parsing: first.answer.body).id?.stringValue ?? ""
        let second = try await served(
            state, .get, "sobjects/Account/\(id)?fields=Name", token: first.token, endedBy: SIGTERM)
        #expect(second.answer.status == 200 && second.token == first.token)
        #expect(try JSONValue(parsing: second.answer.body).Name == "Kept")
        let foreign = try await SoupTool.run("org", "serve", "--state", folder.path, "--json")
        #expect(foreign.status == 1)
        #expect(try foreign.jsonErrors.map { $0["code"] } == ["storeUnusable"])
    }

    @Test func describesBecomeASeed() async throws {
        let folder = try WorkFolder([:])
        let describe = try await served(["--seed", "tiny"], .get, "sobjects/Visit__c/describe", endedBy: SIGTERM)
        try FileManager.default.createDirectory(atPath: folder.path + "/in", withIntermediateDirectories: true)
        try Data(describe.answer.body).write(to: URL(filePath: folder.path + "/in/Visit__c.json"))
        let printed = try await SoupTool.run("org", "import-describe", folder.path + "/in")
        #expect(printed.status == 0 && printed.errors == [])
        let seed = folder.path + "/seed.json"
        let written = try await SoupTool.run(
            "org", "import-describe", folder.path + "/in/Visit__c.json", "--output", seed)
        #expect(written.status == 0 && written.output == [])
        let text = String(decoding: try #require(FileManager.default.contents(atPath: seed)), as: UTF8.self)
        #expect(text == printed.output.joined(separator: "\n") + "\n")
        let again = try await served(["--seed", seed], .get, "sobjects/Visit__c/describe", endedBy: SIGTERM)
        let (before, after) = (
            try JSONValue(parsing: describe.answer.body), try JSONValue(parsing: again.answer.body)
        )
        #expect(after.fields == before.fields && after.keyPrefix == "a00" && after.label == "Visit")
        let none = try await SoupTool.run("org", "import-describe", folder.path + "/none", "--json")
        #expect(try none.status == 1 && none.jsonErrors.map { $0["file"] } == [.string(folder.path + "/none")])
        #expect(try await SoupTool.run("org", "import-describe").status == 2)
    }
}

#endif
