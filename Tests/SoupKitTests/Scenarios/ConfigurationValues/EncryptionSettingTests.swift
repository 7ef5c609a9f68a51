// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Encryption

    import Foundation
    import SoupCore
    import SoupKit
    import SoupTesting
    import Testing

    @Suite struct EncryptionSettingTests {
        private func problems(_ backend: String) throws -> [ConfigurationProblem] {
            let folder = try TemporaryFolder(["userstore.json": #"{"soups": [], "backend": \#(backend)}"#])
            return ConfigurationFolder(reading: folder.url, environment: [:])[.user].storeProblems
        }

        /// Each would leave records unprotected if it were ignored.
        @Test(arguments: [
            (#"{"type": "sqlite", "encyption": {"key": "file"}}"#, #"Did you mean "encryption"?"#),
            (#"{"type": "sqlite", "Encryption": {"key": "file"}}"#, #"Did you mean "encryption"?"#),
            (#"{"type": "sqlite", "encryption": null}"#, "Name the provider of the key"),
            (#"{"type": "sqlite", "encryption": {}}"#, ""),
            (#"{"type": "sqlite", "encryption": {"key": "fiel"}}"#, #"Did you mean "file"?"#),
            (#"{"type": "sqlite", "encryption": {"key": {"type": "file", "pth": "k"}}}"#, #"Did you mean "path"?"#),
            (#"{"type": "memory", "encryption": {"key": "file"}}"#, "use that backend"),
            (#"{"type": "memory", "encrption": {"key": "file"}}"#, #"Did you mean "encryption"?"#),
            (#"{"type": "layered", "back": {"type": "sqlite"}, "encryption": {"key": "file"}}"#, "use that backend"),
            (#"{"type": "layered", "back": {"type": "sqlite", "encryptoin": {"key": "file"}}}"#, "Did you mean"),
        ])
        func `A setting that would be ignored is an error`(_ backend: String, _ hint: String) async throws {
            let problems = try problems(backend)
            let hints = problems.filter { $0.severity == .error }.map { $0.hint ?? "" }
            #expect(hints.contains { hint.isEmpty || $0.contains(hint) }, "\(problems)")
            let folder = try TemporaryFolder(["userstore.json": #"{"soups": [], "backend": \#(backend)}"#])
            await #expect(throws: ConfigurationError.self) {
                _ = try await SoupClient.openStore(at: folder.url, options: .init(environment: [:]))
            }
            #expect(try folder.files == ["userstore.json"])
        }

        @Test(arguments: ["keychain", "file", "environment", "passphrase"])
        func `Each provider is known on each platform`(_ name: String) throws {
            #expect(try problems(#"{"type": "sqlite", "encryption": {"key": "\#(name)"}}"#) == [])
        }

        #if !canImport(Security)
            @Test func `A platform without a keychain says so`() async throws {
                let folder = try TemporaryFolder([
                    "userstore.json":
                        #"{"soups": [], "backend": {"type": "sqlite", "encryption": {"key": "keychain"}}}"#
                ])
                let error = await #expect(throws: SoupError.self) {
                    _ = try await SoupClient.openStore(at: folder.url, options: .init(environment: [:]))
                }
                #expect(error?.code == .keyUnavailable && error?.message == "this platform has no keychain")
                #expect(try folder.files == ["userstore.json"])
            }
        #endif
    }

#endif
