// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server && Encryption

import Foundation
import SoupCore
import Testing

@Suite struct EncryptTests {
    private static let soups = #""soups": [{"soupName": "notes", "indexes": [{"path": "key", "type": "string"}]}]"#

    private static func store(_ encryption: String = "") -> String {
        "{\(soups), \"backend\": {\"type\": \"sqlite\"\(encryption)}}"
    }

    private let folder: WorkFolder

    init() throws { folder = try WorkFolder(["userstore.json": Self.store()]) }

    @discardableResult
    private func soup(
        _ arguments: String..., environment: [String: String] = [:], status: Int32 = 0
    ) async throws -> FinishedSoup {
        let run = try await SoupTool.run(
            arguments + ["--config", folder.path, "--json"], environment: environment)
        #expect(run.status == status, "\(arguments): \(run.output) \(run.errors)")
        return run
    }

    private func content(_ environment: [String: String] = [:]) async throws -> [String] {
        try await soup("query", "select {notes:key} from {notes}", environment: environment).output
    }

    private func isEncrypted() throws -> Bool {
        try !Data(contentsOf: URL(filePath: folder.path + "/userstore.db")).starts(with: Data("SQLite format 3".utf8))
    }

    @Test func `A store is encrypted, gets another key, and is decrypted`() async throws {
        try await soup("create", "notes", "key=one")
        let content = try await content()
        let encrypted = try await soup("encrypt", "--key", "file")
        #expect(try encrypted.json == [["store": .string(folder.path + "/userstore.db"), "encrypted": true]])
        #expect(try isEncrypted())
        // The configuration still names no key.
        #expect(try await soup("soups", status: 1).jsonErrors.first?["code"] == "storeEncrypted")

        try folder.write(Self.store(#", "encryption": {"key": "file"}"#), to: "userstore.json")
        #expect(try await self.content() == content)
        let passphrase = ["SOUPKIT_STORE_PASSPHRASE": "correct horse"]
        try await soup("rekey", "--to", "passphrase", environment: passphrase)
        #expect(try await soup("soups", status: 1).jsonErrors.first?["code"] == "wrongKey")

        try folder.write(Self.store(#", "encryption": {"key": "passphrase"}"#), to: "userstore.json")
        #expect(try await self.content(passphrase) == content)
        #expect(try await soup("soups", status: 1).jsonErrors.first?["code"] == "keyUnavailable")
        let other = #"{"type": "file", "path": "other.key"}"#
        try await soup("rekey", "--content", "--to", other, environment: passphrase)
        #expect(try folder.files.contains("other.key"))

        try await soup("decrypt", "--key", other)
        #expect(try !isEncrypted())
        try folder.write(Self.store(), to: "userstore.json")
        #expect(try await self.content() == content)
    }

    @Test func `Faulty keys and stores are reported`() async throws {
        #expect(try await soup("encrypt", "--key", "file", status: 1).jsonErrors.first?["code"] == "storeUnusable")
        try await soup("create", "notes", "key=one")
        #expect(try await soup("encrypt", status: 1).jsonErrors.first?["code"] == "keyUnavailable")
        #expect(try await soup("encrypt", "--key", "fiel", status: 1).jsonErrors.first?["code"] == "registry")
        try await soup("encrypt", "--key", "{", status: 2)
        #expect(
            try await soup("rekey", "--key", "file", "--to", "environment", status: 1).jsonErrors.first?["code"]
                == "storeNotEncrypted")
        try await soup("rekey", status: 2)
        #expect(try !isEncrypted())
        let misspelt = #"{"type": "file", "pth": "x"}"#
        #expect(try await soup("encrypt", "--key", misspelt, status: 1).jsonErrors.first?["code"] != nil)
        try await soup("encrypt", "--key", "file")
        let other = #"{"type": "file", "path": "other.key"}"#
        #expect(
            try await soup("encrypt", "--key", other, status: 1).jsonErrors.first?["message"]
                == "the store is already encrypted")
        // A repetition, as after an interruption.
        try await soup("encrypt", "--key", "file")
        #expect(try isEncrypted())
        for flag in [[], ["--content"]] {
            let run = try await SoupTool.run(
                ["rekey", "--key", "file", "--to", "file", "--config", folder.path, "--json"] + flag)
            #expect(try run.jsonErrors.first?["code"] == "badSecret")
        }
        for _ in 0..<2 { try await soup("decrypt", "--key", "file") }
        #expect(try !isEncrypted())
        try folder.write(#"{"soups": [], "backend": {"type": "memory"}}"#, to: "userstore.json")
        #expect(try await soup("encrypt", "--key", "file", status: 1).jsonErrors.first?["code"] == "notSupported")
    }

    @Test func `A misspelt key in the configuration has its place`() async throws {
        try folder.write(Self.store(#", "encryption": {"key": "fiel"}"#), to: "userstore.json")
        let error = try #require(try await soup("validate", status: 1).jsonErrors.first)
        #expect(error["path"] == "backend.encryption.key")
        #expect(error["hint"] == #"Known: environment, file, keychain, passphrase. Did you mean "file"?"#)
    }

    @Test(arguments: [("metered", "store"), ("layered", "back")])
    func `Encryption that a backend ignores is an error`(type: String, part: String) async throws {
        let backend = #"{"type": "\#(type)", "\#(part)": {"type": "sqlite"}, "encryption": {"key": "file"}}"#
        let text = "{\(Self.soups), \"backend\": \(backend)}"
        try folder.write(text, to: "userstore.json")
        let run = try await soup("create", "notes", "key=one", status: 1)
        #expect(try run.jsonErrors.contains { $0["path"] == "backend.encryption" }, "\(run.errors)")
        #expect(try folder.files == ["userstore.json"])
    }

    @Test func `The text output names the setting`() async throws {
        try await soup("create", "notes", "key=one")
        let run = try await SoupTool.run("encrypt", "--key", "file", "--config", folder.path)
        #expect(
            run.output == [
                "\(folder.path)/userstore.db: encrypted",
                #"Write into userstore.json: "backend": {"type": "sqlite", "encryption": {"key": "file"}}"#,
            ])
    }
}

#endif
