// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Encryption

import Foundation
import SoupCore
import SoupTesting
import Testing

@testable import SoupEncryption

@Suite struct FileKeyTests {
    private let folder: TemporaryFolder
    private let request: KeyRequest

    init() throws {
        folder = try TemporaryFolder()
        request = KeyRequest(file: folder.path + "/s.db", isNew: true)
    }

    private func code(_ provider: FileKey, isNew: Bool = false) async -> SoupError.Code? {
        do {
            _ = try await provider.secret(for: KeyRequest(file: request.file, isNew: isNew))
            return nil
        } catch {
            return (error as? SoupError)?.code
        }
    }

    @Test func `A new store gets a key that only the owner can read`() async throws {
        let provider = FileKey(configuration: .init())
        let secret = try await provider.secret(for: request)
        #expect(try await provider.secret(for: KeyRequest(file: request.file)).isSame(as: secret))
        #expect(try folder.files == ["s.db.key"])
        let attributes = try FileManager.default.attributesOfItem(atPath: request.file + ".key")
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        try await provider.removeSecret(for: request)
        #expect(try folder.files == [])
        #expect(await code(provider) == .keyUnavailable)
        #expect(try folder.files == [])
    }

    @Test func `The provider follows the rules`() async throws {
        try await KeyProviderSuite(FileKey.self, configuration: "{}", badConfigurations: [#"{"path": 7}"#]).check()
        try await KeyProviderSuite(
            FileKey.self, configuration: #"{"path": "\#(folder.path)/keys"}"#, hasOwnSecrets: false
        ).check()
    }

    @Test func `The file of an interrupted creation is removed`() async throws {
        let provider = FileKey(configuration: .init())
        _ = try await provider.secret(for: request)
        try FileManager.default.copyItem(
            atPath: request.file + ".key", toPath: request.file + ".key.0123456789abcdef")
        for other in ["s.db.key.0123456789abcdeg", "s.db.key.bak", "s.db2.key", "s.db.key.0123456789abcdef0"] {
            try folder.write("another file", to: other)
        }
        try await provider.removeSecret(for: request)
        #expect(
            try folder.files == [
                "s.db.key.0123456789abcdef0", "s.db.key.0123456789abcdeg", "s.db.key.bak", "s.db2.key",
            ])
    }

    @Test func `Concurrent openings get one key`() async throws {
        let provider = FileKey(configuration: .init(path: folder.path + "/keys"))
        let request = request
        let secrets = try await withThrowingTaskGroup(of: StoreSecret.self) { group in
            for _ in 0..<16 { group.addTask { try await provider.secret(for: request) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(secrets.allSatisfy { $0.isSame(as: secrets[0]) })
        #expect(try folder.files == ["keys"])
        // Other stores can have the key, too.
        try await provider.removeSecret(for: request)
        #expect(try folder.files == ["keys"])
    }

    @Test func `A file that is no private file with a key is refused`() async throws {
        let provider = FileKey(configuration: .init())
        try folder.write("not a key", to: "s.db.key")
        #expect(await code(provider) == .badSecret)
        #expect(await code(provider, isNew: true) == .badSecret)
        try folder.write(String(repeating: "01", count: 31) + "02", to: "s.db.key")
        #expect(await code(provider) == nil)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: request.file + ".key")
        #expect(await code(provider) == .keyUnavailable)
        #expect(await code(FileKey(configuration: .init(path: folder.path))) == .keyUnavailable)
        // A folder cannot be created in place of a file.
        #expect(
            await code(FileKey(configuration: .init(path: request.file + ".key/key")), isNew: true) == .keyUnavailable)
        for suffix in ["", "-wal", "-shm", "-journal", "-syncs"] {
            let provider = FileKey(configuration: .init(path: request.file + suffix))
            #expect(await code(provider, isNew: true) == .keyUnavailable)
        }
    }

    @Test func `The folder of a configured path is created`() async throws {
        let provider = FileKey(configuration: .init(path: folder.path + "/keys/of/k"))
        let secret = try await provider.secret(for: request)
        #expect(try await provider.secret(for: KeyRequest(file: request.file)).isSame(as: secret))
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + "/keys")
        #expect(attributes[.posixPermissions] as? Int == 0o700)
    }

    @Test func `A configured path starts at the folder of the file`() throws {
        var problems: [ConfigurationProblem] = []
        var registry = PluginRegistry()
        try registry.register(module: KeyProvidersModule())
        let reference = KeyReference(["type": "file", "path": "keys/store"])
        let provider = registry.keyProvider(reference, in: folder.path, problems: &problems)
        #expect(problems == [])
        #expect(String(describing: provider).contains(folder.path + "/keys/store"))
    }
}

#endif
