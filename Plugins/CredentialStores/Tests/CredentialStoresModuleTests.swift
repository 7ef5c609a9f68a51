// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import CredentialStores
import SoupCore
import Testing

@Suite struct CredentialStoresModuleTests {
    private func store(_ json: JSONValue, in folder: String? = nil) throws -> (name: PluginName?, problems: [String]) {
        let registry = try PluginRegistry([CredentialStoresModule()])
        var problems: [ConfigurationProblem] = []
        let made = registry.credentialStore(
            CredentialStoreReference(json), at: [.key("credentials")], in: folder, problems: &problems)
        return (made.map { type(of: $0).name }, problems.map { "\($0)" })
    }

    @Test func `The module registers the stores`() throws {
        let stores = try PluginRegistry([CredentialStoresModule()]).credentialStores
        #expect(stores.map(\.name) == ["file", "keychain", "memory"])
        #expect(stores.allSatisfy { $0.kind == .credentialStore })
    }

    @Test func `A name or an object chooses a store`() throws {
        #expect(try store("memory") == ("memory", []))
        #expect(try store("file") == ("file", []))
        #expect(try store(["type": "file", "path": "sessions"]) == ("file", []))
        let empty = try store(["type": "file", "path": ""])
        #expect(
            empty == (
                nil,
                [
                    "credentials.path: the path is empty. Write the path of a folder, or remove it: the default is credentials."
                ]
            ))
        let unknown = try store("fil")
        #expect(unknown.name == nil)
        #expect(unknown.problems.first?.contains("no credential store \"fil\" is registered") == true)
        #expect(unknown.problems.first?.contains("Did you mean \"file\"?") == true)
    }

    #if !canImport(Security)
        @Test func `Without a keychain the error names file`() throws {
            #expect(
                try store("keychain") == (nil, ["credentials.type: this platform has no keychain. Use \"file\"."]))
        }
    #endif
}
