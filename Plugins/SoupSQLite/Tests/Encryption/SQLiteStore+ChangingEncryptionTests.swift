// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Encryption

import Foundation
import SoupCore
import SoupSQLite
import SoupTesting
import SoupTestStores
import Testing

@Suite struct SQLiteStoreChangingEncryptionTests {
    private let folder: TemporaryFolder
    private var url: URL { URL(filePath: folder.path + "/store.sqlite") }
    private let context: StoreContext

    init() throws {
        folder = try TemporaryFolder()
        context = StoreContext(folder: folder.url)
    }

    private func open(_ encryption: SQLiteStore.Encryption?) async throws -> SQLiteStore {
        try await SQLiteStore.open(
            .init(path: url.path, busyTimeout: .zero, encryption: encryption), clock: TestClock(1_000))
    }

    private func filled(_ encryption: SQLiteStore.Encryption?) async throws -> [String] {
        let store = try await open(encryption)
        try await store.write { try $0.registerSoup("s", [IndexSpec("Id", .string), IndexSpec("note", .fullText)]) }
        let texts = try (0..<50).map { try JSONText(#"{"Id": "id\#($0)", "note": "word\#($0)"}"#) }
        try await store.upsert(RecordBatch(texts), matching: .path("Id"))
        let state = try await store.wholeState()
        try await store.close()
        return state
    }

    private func state(_ encryption: SQLiteStore.Encryption?) async throws -> [String] {
        let store = try await open(encryption)
        let state = try await store.wholeState()
        try await store.close()
        return state
    }

    private func change(_ old: SQLiteStore.Encryption?, _ new: SQLiteStore.Encryption?) async throws {
        try await SQLiteStore.changeEncryption(at: url, from: old, to: new, in: context)
    }

    private func changeKey(_ old: SQLiteStore.Encryption, _ new: SQLiteStore.Encryption) async throws {
        try await SQLiteStore.changeKey(at: url, from: old, to: new, in: context)
    }

    private static let files = ["store.sqlite", "store.sqlite-syncs"]

    @Test func `Changes of the encryption keep the whole content`() async throws {
        let plain = try await filled(nil)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: url.path)
        try await change(nil, .test())
        #expect(try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int == 0o640)
        #expect(try folder.files == Self.files)
        #expect(try await state(.test()) == plain)
        try await change(.test(), .test(1))
        #expect(await code { _ = try await open(.test()) } == .wrongKey)
        #expect(try await state(.test(1)) == plain)
        try await change(.test(1), nil)
        #expect(try await state(nil) == plain)
        #expect(try folder.files == Self.files)
    }

    @Test func `A changed store has the pages of a new one`() async throws {
        func pages(_ encryption: SQLiteStore.Encryption?) async throws -> [String] {
            let store = try await open(encryption)
            try await store.compact()
            let rows = try await store.rows("select page_size from pragma_page_size")
            try await store.close()
            return rows
        }
        _ = try await filled(nil)
        #expect(try await pages(nil) == ["[8192]"])
        try await change(nil, .test())
        #expect(try await pages(.test()) == ["[16384]"])
        try await change(.test(), nil)
        #expect(try await pages(nil) == ["[8192]"])
    }

    @Test func `A new secret keeps the content as it is`() async throws {
        let plain = try await filled(.test())
        let before = try Data(contentsOf: url)
        try await changeKey(.test(), .test(1))
        #expect(try Data(contentsOf: url).dropFirst(8192) == before.dropFirst(8192))
        #expect(await code { _ = try await open(.test()) } == .wrongKey)
        #expect(try await state(.test(1)) == plain)
        #expect(await code { try await changeKey(.test(), .test(2)) } == .wrongKey)
        #expect(await code { try await changeKey(.test(1), .test(1)) } == .badSecret)
        #expect(try await state(.test(1)) == plain)
    }

    @Test func `The secret of an open store can be replaced`() async throws {
        _ = try await filled(.test())
        let store = try await open(.test())
        try await changeKey(.test(), .test(1))
        try await store.upsert(try records(#"{"Id": "later"}"#), matching: .path("Id"))
        try await store.close()
        #expect(try await open(.test(1)).rows("select count(*) from {s}") == ["[51]"])
    }

    @Test func `An open store is not copied`() async throws {
        for old in [nil, SQLiteStore.Encryption.test()] {
            try? FileManager.default.removeItem(at: url)
            _ = try await filled(old)
            let store = try await open(old)
            #expect(await code { try await change(old, .test(1)) } == .storeUnusable)
            #expect(try folder.files.filter { $0.contains("change") } == [])
            try await store.upsert(try records(#"{"Id": "later"}"#), matching: .path("Id"))
            try await store.close()
            #expect(try await open(old).rows("select count(*) from {s}") == ["[51]"])
        }
    }

    @Test func `Wrong expectations change nothing`() async throws {
        _ = try await filled(nil)
        let before = try Data(contentsOf: url)
        #expect(await code { try await change(.test(), .test(1)) } == .storeNotEncrypted)
        #expect(await code { try await changeKey(.test(), .test(1)) } == .storeNotEncrypted)
        #expect(try Data(contentsOf: url) == before)
        try await change(nil, .test())
        let encrypted = try Data(contentsOf: url)
        #expect(await code { try await change(nil, .test(1)) } == .storeEncrypted)
        #expect(await code { try await change(.test(2), nil) } == .wrongKey)
        #expect(await code { try await change(.test(2), .test(3)) } == .wrongKey)
        #expect(await code { try await changeKey(.test(2), .test(3)) } == .wrongKey)
        // The present secret could have come with or without a new content.
        #expect(await code { try await change(.test(2), .test()) } == .badSecret)
        #expect(try Data(contentsOf: url) == encrypted)
        try FileManager.default.removeItem(at: url)
        #expect(await code { try await change(nil, .test()) } == .storeUnusable)
        try Data("another file".utf8).write(to: url)
        #expect(await code { try await change(nil, .test()) } == .storeUnusable)
        #expect(try folder.files == Self.files)
        #expect(try String(contentsOf: url, encoding: .utf8) == "another file")
    }

    @Test func `A repetition of a change that has ended does nothing`() async throws {
        _ = try await filled(nil)
        try await change(nil, .test())
        let encrypted = try Data(contentsOf: url)
        try await change(nil, .test())
        #expect(try Data(contentsOf: url) == encrypted)
        try await changeKey(.test(), .test(1))
        let changed = try Data(contentsOf: url)
        try await changeKey(.test(), .test(1))
        #expect(try Data(contentsOf: url) == changed && changed != encrypted)
        try await change(.test(1), nil)
        let plain = try Data(contentsOf: url)
        try await change(.test(1), nil)
        #expect(try Data(contentsOf: url) == plain)
        #expect(try folder.files == Self.files)
    }

    @Test func `The rest of an interrupted change is replaced`() async throws {
        let plain = try await filled(nil)
        for name in ["", "-journal", "-wal"] { try folder.write("rest", to: "store.sqlite.soupkit-change" + name) }
        try await change(nil, .test())
        #expect(try folder.files == Self.files)
        #expect(try await state(.test()) == plain)
    }

    @Test func `An open removes the copy of an interrupted change`() async throws {
        let state = try await filled(.test())
        for name in ["", "-journal"] { try folder.write("plain text", to: "store.sqlite.soupkit-change" + name) }
        #expect(try await self.state(.test()) == state)
        #expect(try folder.files == Self.files)
    }

    @Test func `A store with a log is copied completely`() async throws {
        let store = try await open(.test())
        try await store.write { try $0.registerSoup("s", [IndexSpec("Id", .string)]) }
        try await store.checkpoint()
        try await store.upsert(try records(#"{"Id": "in the log"}"#), matching: .path("Id"))
        // The files as they are when the process is killed.
        let copies = try ["", "-wal"].map { try Data(contentsOf: URL(filePath: url.path + $0)) }
        try await store.close()
        for (suffix, copy) in zip(["", "-wal"], copies) { try copy.write(to: URL(filePath: url.path + suffix)) }
        try await change(.test(), nil)
        #expect(try await open(nil).rows("select {s:Id} from {s}") == [#"["in the log"]"#])
    }
}

#endif
