// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import Foundation
import SoupLocalOrg
import SoupCore
import Testing

/// Tests that `soup` neither prints nor stores secrets of the session that a server repeats in a response.
@Suite struct SecretOutputTests {
    @Test(arguments: [400, 403, 500]) func `A token in an error is not printed`(status: Int) async throws {
        let folder = try WorkFolder(["userstore.json": WorkFolder.store, "usersyncs.json": WorkFolder.syncs])
        try await ServedOrg.with(seed: .tiny) { org in
            let token = org.org.accessToken
            let keys = ["password", "clientSecret", "refreshToken"]
            let own = keys.map { "Secret!\($0)/7" }
            let members = zip(keys, own).map { #""\#($0)": "\#($1)""# }.joined(separator: ", ")
            try folder.write(
                #"{"instanceUrl": "\#(org.url)", "clientId": "app", "username": "me", \#(members)}"#, to: "org.json")
            #expect(try await org.soup(folder, "sync", "down").status == 0)
            #expect(try await org.soup(folder, "create", "contacts", "LastName=Ada").status == 0)
            let message =
                "Authorization: Bearer \(token), ?sid=\(token.replacing("!", with: "%21"))"
                + own.map { ", \($0), \($0.replacing("!", with: "%21"))" }.joined()
            org.org.add(OrgFault(.http(status: status, message: message)))
            var text = ""
            for arguments in [
                ["sync", "up"], ["sync", "down"], ["clean-ghosts", "down"], ["failures"], ["status"], ["resolve"],
                ["validate", "--server"], ["retrieve", "contacts", "1", "2", "3", "4", "5"],
                ["query", "SELECT {syncs_soup:_soup} FROM {syncs_soup}"],
            ] {
                for format in [[], ["--json"]] {
                    let run = try await SoupTool.run(
                        arguments + ["--config", folder.path] + format, environment: org.environment)
                    text += (run.output + run.errors).joined(separator: "\n")
                }
            }
            #expect(text.contains("Bearer ***"), "the server's message is not in the output: nothing was tested")
            for file in try folder.files where file != "org.json" {
                let bytes = try Data(contentsOf: URL(filePath: folder.path + "/" + file))
                text += String(decoding: bytes, as: UTF8.self)
            }
            for secret in [token] + own {
                for form in [secret, secret.replacing("!", with: "%21")] { #expect(!text.contains(form), "\(form)") }
            }
        }
    }
}

#endif
