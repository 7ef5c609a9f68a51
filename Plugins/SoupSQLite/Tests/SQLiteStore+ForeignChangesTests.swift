// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
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
        try await wait { try watches() == 1 }
        first.cancel()
        second.cancel()
        try await wait { try watches() == 0 }
        let closing = store.changes(in: ["s"])
        try await store.close()
        for await _ in closing {}
        try await wait { try watches() == 0 }
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
        try await wait { try watches() == 0 }
        _ = stream
    }

    @Test(.enabled(if: WriteProtection.isPossible)) func `A read-only store reports the writes of others`() async throws
    {
        let (_, other) = try await open()
        let protection = try WriteProtection(temporary.path)
        let reader = try await temporary.open()
        protection.end()
        #expect(reader.capabilities.contains(.readOnly))
        var changes = reader.changes(in: ["s"]).makeAsyncIterator()
        try await other.upsert(try records(#"{"k":"1"}"#))
        #expect(await changes.next()?.soups == ["s"])
        #expect(try await reader.dump() == [#"1@1000 {"k":"1"}"#])
    }

    /// The commit of a process that is killed before its signal; the system then closes the files of the process.
    @Test(.listsDescriptors, .usesPlainFile)
    func `A commit without a signal is reported at the close`() async throws {
        let (store, _) = try await open()
        var changes = store.changes(in: ["s", "t"]).makeAsyncIterator()
        let killed = try DatabaseQueue(path: temporary.path)
        try await killed.write { try $0.execute(sql: "UPDATE soup_attrs SET lastWrite = 7 WHERE soupName = 't'") }
        let closing = Process()
        closing.executableURL = URL(filePath: "/bin/sh")
        closing.arguments = ["-c", "exec 3<>\"$1\"", "sh", temporary.path]
        try closing.run()
        closing.waitUntilExit()
        #expect(await changes.next()?.soups == ["t"])
        try killed.close()
    }

    /// In a process of its own, because the suspension applies to all stores of a process.
    @Test(.usesPlainFile) func `Suspended stores report changes when they resume`() async {
        await #expect(processExitsWith: .success) {
            let temporary = try TemporaryStore()
            let store = try await temporary.open(IndexSpec("k", .string))
            var changes = store.changes(in: ["s"]).makeAsyncIterator()
            SQLiteStore.suspendAll()
            let error = await #expect(throws: SoupError.self) { try await store.upsert(try records(#"{"k":"1"}"#)) }
            // A connection that the suspension does not concern, as in another process.
            let other = try DatabaseQueue(path: temporary.path)
            try await other.write { try $0.execute(sql: "UPDATE soup_attrs SET lastWrite = 7 WHERE soupName = 's'") }
            SQLiteStore.resumeAll()
            let change = await changes.next()
            try await store.upsert(try records(#"{"k":"2"}"#))
            guard error?.code == .storeUnusable, change?.soups == ["s"] else { exit(EXIT_FAILURE) }
        }
    }

    /// Waits for a condition that another thread fulfils; the time limit of the test ends the wait.
    private func wait(until condition: () throws -> Bool) async throws {
        while try !condition() {
            try Task.checkCancellation()
            await Task.yield()
        }
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
