// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import Foundation
import HTTPTypes
import SoupCore
import SoupKit
import Testing

/// Tests `soup org serve --state` and `soup org import-describe`.
@Suite struct OrgStateTests {
    private struct Served {
        var answer: HTTPAnswer
        /// The first access token, which the command prints.
        var token: String
        /// An access token of a login.
        var login: String
        /// The IDs of the accounts before the request.
        var accounts: [String]
    }

    /// Serves an org, logs in, sends it one request, and ends it with a signal.
    private func send(
        _ method: HTTPRequest.Method, _ path: String, body: String? = nil, token: String? = nil,
        toOrgServedWith arguments: [String], endedBy signal: Int32
    ) async throws -> Served {
        let running = try SoupTool.start(["org", "serve"] + arguments)
        try running.write("")
        let line = try JSONValue(parsing: try #require(await running.output.first { _ in true }))
        let firstToken = line.accessToken?.stringValue ?? ""
        func send(_ method: HTTPRequest.Method, _ path: String, token: String?, body: String?) async throws
            -> HTTPAnswer
        {
            var headers: HTTPFields = [.contentType: "application/json"]
            if let token { headers[.authorization] = "Bearer \(token)" }
            if path.hasPrefix("/services/oauth2") { headers[.contentType] = "application/x-www-form-urlencoded" }
            let request = HTTPRequest(
                method: method, scheme: "http",
                authority: String((line.url?.stringValue ?? "").dropFirst("http://".count)), path: path,
                headerFields: headers)
            return try await URLSessionTransport().send(request, body: body.map { Array($0.utf8) })
        }
        let data = "/services/data/v60.0/"
        let accounts = try JSONValue(
            parsing: await send(.get, data + "query?q=select+Id+from+Account", token: firstToken, body: nil).body)
        let login = try JSONValue(
            parsing: await send(
                .post, "/services/oauth2/token", token: nil,
                body: "grant_type=password&client_id=emu-client&username=demo@example.org&password=demo"
            ).body)
        let answer = try await send(method, data + path, token: token ?? firstToken, body: body)
        running.kill(signal)
        _ = await running.end()
        return Served(
            answer: answer, token: firstToken, login: login.access_token?.stringValue ?? "",
            accounts: accounts.records?.arrayValue?.compactMap { $0.Id?.stringValue } ?? [])
    }

    @Test(arguments: [SIGKILL, SIGTERM]) func `A saved org continues in the next process`(_ signal: Int32) async throws
    {
        let folder = try WorkFolder([:])
        let state = ["--state", folder.path + "/org.db"]
        let first = try await send(
            .post, "sobjects/Account", body: #"{"Name": "Kept"}"#, toOrgServedWith: state + ["--seed", "tiny"],
            endedBy: signal)
        #expect(first.answer.status == 201)
        let id = try JSONValue(parsing: first.answer.body).id?.stringValue ?? ""
        let second = try await send(
            .get, "sobjects/Account/\(id)?fields=Name", token: first.token, toOrgServedWith: state, endedBy: SIGTERM)
        #expect(second.answer.status == 200 && second.token == first.token)
        #expect(try JSONValue(parsing: second.answer.body).Name == "Kept")
        // The number of the next record and the logins are saved, too.
        let third = try await send(
            .post, "sobjects/Account", body: #"{"Name": "Next"}"#, token: first.login, toOrgServedWith: state,
            endedBy: signal)
        #expect(third.answer.status == 201)
        let next = try JSONValue(parsing: third.answer.body).id?.stringValue ?? ""
        #expect(next > id && !first.accounts.contains(next))
        let fourth = try await send(
            .get, "sobjects/Account/\(next)?fields=Name", toOrgServedWith: state, endedBy: SIGTERM)
        #expect(try JSONValue(parsing: fourth.answer.body).Name == "Next")
        let foreign = try await SoupTool.run("org", "serve", "--state", folder.path, "--json")
        #expect(foreign.status == 1)
        #expect(try foreign.jsonErrors.map { $0["code"] } == ["storeUnusable"])
    }

    @Test func `A state file without a name is a usage error`() async throws {
        let run = try await SoupTool.run("org", "serve", "--state", "", "--json")
        #expect(run.status == 2)
        #expect(try run.jsonErrors.map { $0["message"] } == ["Give --state the name of a file."])
    }

    @Test func `Describe results are converted to a seed`() async throws {
        let folder = try WorkFolder([:])
        let describe = try await send(
            .get, "sobjects/Visit__c/describe", toOrgServedWith: ["--seed", "tiny"], endedBy: SIGTERM)
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
        let again = try await send(
            .get, "sobjects/Visit__c/describe", toOrgServedWith: ["--seed", seed], endedBy: SIGTERM)
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
