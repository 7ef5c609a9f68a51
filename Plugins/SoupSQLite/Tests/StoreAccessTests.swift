// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupCore
import Testing

@testable import SoupSQLite

/// Stores in files and folders that cannot be written.
@Suite struct StoreAccessTests {
    let temporary: TemporaryStore
    init() throws { temporary = try TemporaryStore() }

    @Test func `The permissions decide the access`() {
        func access(_ change: (inout StoreAccess.Rights) -> Void) -> StoreAccess {
            var rights = StoreAccess.Rights()
            change(&rights)
            return StoreAccess(rights)
        }
        #expect(access { _ in } == .full)
        #expect(access { $0.fileIsWritable = false } == .immutable)
        #expect(
            access {
                $0.fileIsWritable = false
                $0.hasLog = true
            } == .readOnly)
        #expect(
            access {
                $0.folderIsWritable = false
                $0.logIsWritable = true
            } == .full)
        for isWritable in [true, false] {
            func inClosedFolder(_ hasLog: Bool, _ hasIndex: Bool) -> StoreAccess {
                access {
                    $0.fileIsWritable = isWritable
                    $0.folderIsWritable = false
                    $0.hasLog = hasLog
                    $0.hasIndex = hasIndex
                }
            }
            #expect(inClosedFolder(false, false) == .immutable)
            #expect(inClosedFolder(false, true) == .readOnly)
            #expect(inClosedFolder(true, true) == .readOnly)
            #expect(inClosedFolder(true, false) == .logIsUnreadable)
        }
    }

    @Test(.enabled(if: WriteProtection.isPossible)) func `A store in a read-only folder can be read`()
        async throws
    {
        var store = try await temporary.open(IndexSpec("k", .string))
        try await store.write { _ = try $0.upsert(try records(#"{"k": "a"}"#), into: "s") }
        try await store.close()
        let before = try await contents()
        let protections = [try WriteProtection(temporary.path), try WriteProtection(temporary.folder)]
        store = try await temporary.open()
        #expect(store.capabilities.contains(.readOnly))
        #expect(try await store.dump() == [#"1@1000 {"k": "a"}"#])
        #expect(
            await code { try await store.write { _ = try $0.upsert(try records("{}"), into: "s") } } == .storeUnusable)
        #expect(await code { _ = try await store.claimSyncs() } == .storeUnusable)
        try await store.close()
        for protection in protections { protection.end() }
        #expect(try await contents() == before)
        store = try await temporary.open()
        #expect(!store.capabilities.contains(.readOnly))
    }

    @Test(.enabled(if: WriteProtection.isPossible)) func `A missing store in a read-only folder is an error`()
        async throws
    {
        let protection = try WriteProtection(temporary.folder)
        #expect(await code { _ = try await temporary.open() } == .storeUnusable)
        protection.end()
    }

    private func contents() async throws -> [String: Data?] {
        let files = try FileManager.default.contentsOfDirectory(atPath: temporary.folder)
        return Dictionary(
            uniqueKeysWithValues: files.map { ($0, FileManager.default.contents(atPath: temporary.folder + "/" + $0)) })
    }
}
