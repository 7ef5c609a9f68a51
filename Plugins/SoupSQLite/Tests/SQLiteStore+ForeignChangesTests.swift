// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupCore
import SoupTestStores
import Synchronization
import Testing

@testable import SoupSQLite

/// Writes through a second opened store of the file, as in another process.
@Suite(.timeLimit(.minutes(2))) struct SQLiteStoreForeignChangesTests {
    let temporary: TemporaryStore
    init() throws { temporary = try TemporaryStore() }

    /// Opens a store with the soups s, t and u, and opens the file once more.
    private func open() async throws -> (store: SQLiteStore, other: SQLiteStore) {
        let store = try await temporary.open(IndexSpec("k", .string))
        try await store.write { writer in
            for soup in ["t", "u"] as [SoupName] { try writer.registerSoup(soup, [IndexSpec("k", .string)]) }
        }
        return (store, try await temporary.open())
    }

    @Test func `Only soups that another store changed are reported`() async throws {
        let (store, other) = try await open()
        var changes = store.changes(in: ["s", "t"]).makeAsyncIterator()
        // Commits without a change of an observed soup.
        try await other.upsert(try records(#"{"k":"1"}"#), into: "u")
        try await other.write { try $0.registerSoup("v", [IndexSpec("k", .string)]) }
        _ = try? await other.write { writer in
            try writer.upsert(try records(#"{"k":"1"}"#), into: "s")
            throw SoupError("stopped", "the body throws")
        }
        try await other.compact()
        try await other.upsert(try records(#"{"k":"1"}"#), into: "t")
        #expect(await changes.next()?.soups == ["t"])
        try await other.write { writer in
            for soup in ["s", "t", "u"] as [SoupName] { try writer.upsert(try records(#"{"k":"2"}"#), into: soup) }
        }
        #expect(await changes.next()?.soups == ["s", "t"])
        let stamp = EntryStamp(id: 1, stamp: .none.setting("k", .string("3")))
        try await other.write { _ = try $0.stamp([stamp], in: "s") }
        #expect(await changes.next()?.soups == ["s"])
        try await other.write { _ = try $0.remove([1], from: "s") }
        #expect(await changes.next()?.soups == ["s"])
        try await other.alterSoup("s", to: [IndexSpec("n", .integer)], reIndex: true)
        #expect(await changes.next()?.soups == ["s"])
        try await other.write { try $0.removeSoup("t") }
        #expect(await changes.next()?.soups == ["t"])
    }

    @Test func `Own writes are reported once`() async throws {
        let (store, other) = try await open()
        var changes = store.changes(in: ["s", "t"]).makeAsyncIterator()
        for number in 1...20 { try await store.upsert(try records(#"{"k":"\#(number)"}"#)) }
        try await store.write { try $0.removeSoup("s") }
        try await other.upsert(try records(#"{"k":"1"}"#), into: "t")
        for _ in 1...21 { #expect(await changes.next()?.soups == ["s"]) }
        #expect(await changes.next()?.soups == ["t"])
    }

    /// `SOUPKIT_TORTURE` in the environment makes 10,000 writes.
    @Test func `No write of another store is missed`() async throws {
        let count = ProcessInfo.processInfo.environment["SOUPKIT_TORTURE"] == nil ? 300 : 10_000
        let (store, other) = try await open()
        let soups: [SoupName] = ["s", "t", "u"]
        for soup in soups { try await store.upsert(try records(#"{"k":""}"#), into: soup) }
        let expected = Mutex<[SoupName: String]?>(nil)
        let changes = store.changes(in: Set(soups))
        let observer = Task {
            var seen: [SoupName: String] = [:]
            for await change in changes {
                for soup in change.soups {
                    seen[soup] = try await store.read { try $0.retrieve([1], from: soup).first?["k"]?.stringValue }
                }
                if seen == expected.withLock({ $0 }) { return }
            }
        }
        var random = SystemRandomNumberGenerator()
        var last: [SoupName: String] = [:]
        for number in 1...count {
            // The last writes are those of the other store, one for each soup.
            let soup = number > count - 3 ? soups[count - number] : soups.randomElement(using: &random) ?? "s"
            let isOwn = number <= count - 3 && Int.random(in: 0..<4, using: &random) == 0
            let value = "\(number)"
            if number == count {
                // Set before the last write, because the observer compares after each change.
                let final = last.merging([soup: value]) { $1 }
                expected.withLock { $0 = final }
            }
            try await (isOwn ? store : other).upsert(try records(#"{"_soupEntryId":1,"k":"\#(value)"}"#), into: soup)
            last[soup] = value
        }
        try await observer.value
    }

    @Test func `A write between the start and the first read counts`() async throws {
        let (store, other) = try await open()
        for number in 1...50 {
            var changes = store.changes(in: ["s"]).makeAsyncIterator()
            try await other.upsert(try records(#"{"k":"\#(number)"}"#))
            #expect(await changes.next()?.soups == ["s"])
        }
    }

    @Test(.listsDescriptors) func `Observing has resources only while it lasts`() async throws {
        let (store, other) = try await open()
        #expect(try watches() == 0)
        let first = Task { for await _ in store.changes(in: ["s"]) {} }
        let second = Task { for await _ in store.changes(in: ["t"]) {} }
        while try watches() < 1 { await Task.yield() }
        #expect(try watches() == 1)
        first.cancel()
        second.cancel()
        while try watches() > 0 { await Task.yield() }
        let closing = store.changes(in: ["s"])
        try await store.close()
        for await _ in closing {}
        while try watches() > 0 { await Task.yield() }
        try await other.upsert(try records(#"{"k":"1"}"#))
    }

    /// The number of inotify instances of this process that watch the store.
    private func watches() throws -> Int {
        let file = try FileManager.default.attributesOfItem(atPath: temporary.path)
        let inode = "ino:" + String(try #require(file[.systemFileNumber] as? NSNumber).uint64Value, radix: 16) + " "
        let folder = "/proc/self/fdinfo"
        return try FileManager.default.contentsOfDirectory(atPath: folder).count { descriptor in
            let text = FileManager.default.contents(atPath: "\(folder)/\(descriptor)") ?? Data()
            return String(decoding: text, as: UTF8.self).split(separator: "\n").contains {
                $0.hasPrefix("inotify") && $0.contains(inode)
            }
        }
    }

    @Test(.listsDescriptors) func `A released store ends its observation`() async throws {
        try await temporary.open(IndexSpec("k", .string)).close()
        let stream: AsyncStream<StoreChange>
        do {
            let store = try await temporary.open()
            stream = store.changes(in: ["s"])
            #expect(try watches() == 1)
        }
        while try watches() > 0 { await Task.yield() }
        _ = stream
    }

    @Test(.enabled(if: SQLiteStore.Encryption.always != nil))
    func `Writes of another encrypted store are reported`() async throws {
        let configuration = SQLiteStore.Configuration(path: temporary.path, encryption: SQLiteStore.Encryption.always)
        let store = try await SQLiteStore.open(configuration)
        try await store.write { try $0.registerSoup("s", [IndexSpec("k", .string)]) }
        let other = try await SQLiteStore.open(configuration)
        var changes = store.changes(in: ["s"]).makeAsyncIterator()
        try await other.upsert(try records(#"{"k":"1"}"#))
        #expect(await changes.next()?.soups == ["s"])
    }
}

extension Trait where Self == ConditionTrait {
    /// Excludes a test that counts inotify instances on systems without them.
    fileprivate static var listsDescriptors: Self {
        .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/fdinfo"), "the test uses Linux's /proc")
    }
}
