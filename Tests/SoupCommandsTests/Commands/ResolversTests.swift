// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import SoupCore
import Testing

@Suite struct ResolversTests {
    @Test(arguments: [
        ("resolvers", "resolver", ["local", "newest", "remote"]),
        ("transforms", "transform", ["constant", "drop", "mask", "rename"]),
        ("keys", "keyProvider", ["environment", "file", "keychain", "passphrase"]),
    ])
    func `The plug-ins of a kind are listed`(command: String, kind: String, names: [String]) async throws {
        let run = try await SoupTool.run(command, "--json")
        #expect(run.status == 0 && run.errors == [])
        #expect(try run.json.map { $0["name"]?.stringValue } == names)
        #expect(try run.json.allSatisfy { $0["kind"]?.stringValue == kind })
        let table = try await SoupTool.run(command)
        #expect(table.output.dropFirst(2).map { $0.prefix { $0 != " " } }.map(String.init) == names, "\(table.output)")
    }
}

#endif
