// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import SoupLocalOrg
import SoupCore
import Testing

/// The resource `/sobjects/User/{id}/password`.
@Suite struct PasswordHandlerTests {
    private func login(_ client: OrgClient, _ user: String, password: String) async throws -> Int {
        let form = "grant_type=password&client_id=emu-client&username=\(user)@example.org&password=\(password)"
        return try await client.org.respond(
            to: HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/services/oauth2/token"),
            body: Array(form.utf8)
        ).status
    }

    @Test func `A password is set for one user`() async throws {
        let client = try OrgClient()
        let path = "sobjects/User/\(client.org.id(of: "other") ?? "")/password"
        #expect(try await client.json(.get, path) == ["isExpired": false])
        let answer = try await client.send(.post, path, body: ["NewPassword": "sesame"])
        #expect(answer.status == 204 && answer.body.isEmpty)
        #expect(try await login(client, "other", password: "demo") == 400)
        #expect(try await login(client, "other", password: "sesame") == 200)
        #expect(try await login(client, "other", password: "sesameemu-token") == 200)
        #expect(try await login(client, "demo", password: "demo") == 200)
        let made = try await client.json(.delete, path)
        #expect(made.objectValue?.keys == ["NewPassword"])
        #expect(try await login(client, "other", password: made.NewPassword?.stringValue ?? "") == 200)
        #expect(try await login(client, "other", password: "sesame") == 400)
        try client.org.reset(to: .tiny)
        #expect(try await login(client, "other", password: "demo") == 200)
    }

    @Test func `An invalid password changes nothing`() async throws {
        let client = try OrgClient()
        let path = "sobjects/User/\(client.org.id(of: "me") ?? "")/password"
        for body: JSONValue in [[:], ["NewPassword": ""], ["NewPassword": 5], []] {
            #expect(try await client.send(.post, path, body: body).status == 400)
        }
        #expect(try await client.send(.put, path, body: ["NewPassword": "x"]).status == 405)
        let unknownUser = "sobjects/User/005000000000099AAA/password"
        #expect(try await client.send(.post, unknownUser, body: ["NewPassword": "x"]).status == 404)
        #expect(try await client.send(.post, "sobjects/Account/001000000000001AAA/password", body: [:]).status == 404)
        #expect(try await login(client, "demo", password: "demo") == 200)
    }

    @Test func `A saved org contains the password`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "soup-password-\(UUID().uuidString).db").path
        defer { try? FileManager.default.removeItem(atPath: file) }
        var options = OrgOptions()
        options.stateFile = URL(filePath: file)
        let people: JSONValue = ["users": [["key": "me", "username": "demo@example.org", "password": "demo"]]]
        let seed = try OrgSeed(json: Array(try JSONText(people).bytes))
        do {
            let client = try OrgClient(seed, options: options)
            let path = "sobjects/User/\(client.org.id(of: "other") ?? "")/password"
            #expect(try await client.send(.post, path, body: ["NewPassword": "sesame"]).status == 204)
        }
        let client = try OrgClient(seed, options: options)
        #expect(!client.org.isFromSeed)
        #expect(try await login(client, "other", password: "sesame") == 200)
        #expect(try await login(client, "demo", password: "demo") == 200)
    }
}
