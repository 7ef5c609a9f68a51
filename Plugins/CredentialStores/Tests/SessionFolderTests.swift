// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupTesting
import Testing

@testable import CredentialStores

/// Writes that are interrupted at each step.
@Suite struct SessionFolderTests {
    private struct Killed: Error {}

    private let folder = TemporaryFolder()

    private func folder(failingAt step: SessionFolder.Change?) -> SessionFolder {
        SessionFolder(folder.path) { if $0 == step { throw Killed() } }
    }

    @Test(arguments: SessionFolder.Change.allCases)
    func `An interrupted write leaves a whole file`(step: SessionFolder.Change) throws {
        try folder(failingAt: nil).write(Array("old".utf8), to: "a.json")
        let isReached = step != .makeFolder && step != .remove
        do {
            try folder(failingAt: step).write(Array("new".utf8), to: "a.json")
            #expect(!isReached)
        } catch is Killed {
            #expect(isReached)
        }
        let isAfterRename = step == .syncFolder || !isReached
        let content = try folder(failingAt: nil).read("a.json").map { String(decoding: $0, as: UTF8.self) }
        #expect(content == (isAfterRename ? "new" : "old"))
        #expect(try folder.files == [".gitignore", "a.json"])
    }

    @Test func `The rest of a killed process is replaced`() throws {
        let store = folder(failingAt: nil)
        try store.write(Array("old".utf8), to: "a.json")
        try folder.write("half a ses", to: "a.json.new")
        try folder.setMode(0o644, of: "a.json.new")
        try store.write(Array("new".utf8), to: "a.json")
        #expect(try store.read("a.json") == Array("new".utf8))
        #expect(try folder.mode(of: "a.json") == "600")
        #expect(try folder.files == [".gitignore", "a.json"])
        try folder.write("half", to: "a.json.new")
        #expect(try store.remove("a.json"))
        #expect(try folder.files == [".gitignore"])
    }

    @Test func `A folder that cannot be made is an error`() throws {
        #expect(throws: Killed.self) { try folder(failingAt: .makeFolder).write([], to: "a.json") }
        let error = #expect(throws: SoupError.self) { try SessionFolder("/dev/null/x").write([], to: "a.json") }
        #expect(error?.code == .credentialsUnusable)
    }

    @Test func `A lock is held once`() throws {
        let store = folder(failingAt: nil)
        let first = try #require(try store.tryLock("a.lock"))
        #expect(try store.tryLock("a.lock") == nil)
        let other = try #require(try store.tryLock("b.lock"))
        #expect(closed(first) && closed(other))
        let again = try #require(try store.tryLock("a.lock"))
        #expect(closed(again))
    }
}
