// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupCore
import SoupTesting
import Testing

@testable import CredentialStores

@Suite struct FileCredentialStoreTests {
    private let folder = TemporaryFolder()
    private let user = SessionAccount.user(organization: "00D000000000001EAA", user: "005000000000001AAA")
    private let file = "user.00D000000000001EAA.005000000000001AAA.json"
    private let session = SavedSession(
        tokenURL: "https://login.example.com/token", clientId: "c", accessToken: "secret-access",
        refreshToken: "secret-refresh", savedAt: Date(timeIntervalSince1970: 1))

    private var store: FileCredentialStore { FileCredentialStore(configuration: .init(path: folder.path)) }

    private func error(_ body: () async throws -> Void) async throws -> SoupError {
        try #require(await #expect(throws: SoupError.self) { try await body() })
    }

    @Test func `The store follows the rules`() async throws {
        try await CredentialStoreSuite(
            FileCredentialStore.self, configuration: #"{"path": "\#(folder.path)"}"#,
            badConfigurations: [#"{"path": ""}"#]
        ).check()
    }

    @Test func `Only the owner can read the files`() async throws {
        try await store.save(session, for: user)
        try await store.exclusively(for: user) {}
        #expect(
            try folder.files == [".gitignore", file, "user.00D000000000001EAA.005000000000001AAA.lock"])
        #expect(try folder.mode() == "700")
        #expect(try folder.files.map { try folder.mode(of: $0) } == ["600", "600", "600"])
        #expect(try folder.text(of: ".gitignore") == "*\n")
    }

    @Test func `A file that others can read is refused`() async throws {
        try await store.save(session, for: user)
        for mode in [0o640, 0o604, 0o620] {
            try folder.setMode(mode, of: file)
            let error = try await error { _ = try await store.session(of: user) }
            #expect(error.code == .credentialsUnusable)
            #expect(error.place?.file == "\(folder.path)/\(file)")
            #expect(error.message == "other users of this computer can use the file with the saved session")
            #expect(error.hint?.hasPrefix("Remove their permission with `chmod 600 \(folder.path)/\(file)`.") == true)
        }
        // A new session replaces it, with the right permissions.
        try await store.save(session, for: user)
        #expect(try await store.session(of: user) == session)
        #expect(try folder.mode(of: file) == "600")
    }

    @Test func `A folder that others can use is refused`() async throws {
        try await store.save(session, for: user)
        try folder.setMode(0o750)
        let bodies: [() async throws -> Void] = [
            { _ = try await store.session(of: user) }, { try await store.save(session, for: user) },
            { _ = try await store.accounts() }, { try await store.removeSession(of: user) },
            { try await store.exclusively(for: user) {} },
        ]
        for body in bodies {
            let error = try await error(body)
            #expect(error.code == .credentialsUnusable)
            #expect(error.hint?.hasPrefix("Remove their permission with `chmod 700 \(folder.path)`.") == true)
        }
    }

    @Test func `A link or a folder in the place of a file is refused`() async throws {
        try await store.save(session, for: user)
        let path = "\(folder.path)/\(file)"
        try FileManager.default.moveItem(atPath: path, toPath: "\(folder.path)/elsewhere")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "\(folder.path)/elsewhere")
        #expect(try await error { _ = try await store.session(of: user) }.code == .credentialsUnusable)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        #expect(try await error { _ = try await store.session(of: user) }.message == "the saved session is not a file")
    }

    @Test(arguments: [
        "", "{}", "no JSON", #"{"version": 1}"#, #"{"version": 9, "tokenURL": "u", "clientId": "c", "savedAt": 1}"#,
    ])
    func `A damaged session is reported and replaced`(text: String) async throws {
        try await store.save(session, for: user)
        try folder.write(text + "secret-text", to: file)
        try folder.setMode(0o600, of: file)
        let error = try await error { _ = try await store.session(of: user) }
        #expect(error.code == .credentialsUnusable && error.place?.file == "\(folder.path)/\(file)")
        #expect(!"\(error)".contains("secret"))
        #expect(try await store.accounts() == [user])
        try await store.save(session, for: user)
        #expect(try await store.session(of: user) == session)
    }

    @Test func `A name that is too long for a file is an error`() async throws {
        let account = SessionAccount.connection(String(repeating: "x", count: 300))
        #expect(try await error { try await store.save(session, for: account) }.code == .credentialsUnusable)
    }

    @Test func `No description shows a token`() {
        for text in ["\(session)", String(reflecting: session), "\(Mirror(reflecting: session).children.count)"] {
            #expect(!text.contains("secret"))
        }
    }
}
