// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import ComposedStores
import Foundation
import SoupCore
import SoupMemory
import Testing

/// Writes that fail at any step, and writes of other processes.
@Suite struct LayersTests {
    /// A store with the entry 1 in both layers.
    private func layered(in stores: TemporaryStores) async throws -> TemporaryStores.Layered {
        let layered = try await stores.layered()
        try await layered.store.add(#"{"k":"x"}"#, to: "a")
        return layered
    }

    private func texts(_ contents: [String]) -> [String] { contents.map { String($0.drop { $0 != "{" }) } }

    @Test func `A body that throws changes no layer`() async throws {
        let stores = try TemporaryStores()
        let layered = try await layered(in: stores)
        let before = try await layered.contents()
        await #expect(throws: LosingStore.Lost.self) {
            try await layered.store.write { writer in
                try writer.clearSoup("a")
                throw LosingStore.Lost()
            }
        }
        // A change that fails also fails the write if the body catches the error.
        let failed = await code {
            try await layered.store.write { writer in
                try writer.clearSoup("a")
                _ = try? writer.upsert(RecordBatch([try JSONText("{}")]), into: "a", matching: .path("k"))
            }
        }
        #expect(failed == .externalIdMissing)
        #expect(try await layered.contents() == before)
        #expect(try await layered.retrieve([1]).texts == [#"1 {"k":"x"}"#])
    }

    /// Neither store keeps a write that the front store rejects, or that the back store does not commit.
    @Test(arguments: [LosingStore.Fault.atRestoring, .atCommit])
    func `A fault before the first commit undoes both layers`(_ fault: LosingStore.Fault) async throws {
        let stores = try TemporaryStores()
        let layered = try await layered(in: stores)
        let before = try await layered.contents()
        let faulty = fault == .atRestoring ? layered.front : layered.losing
        faulty.fault = fault
        await #expect(throws: LosingStore.Lost.self) { try await layered.store.add(#"{"k":"y"}"#, to: "a") }
        faulty.fault = nil
        #expect(try await layered.contents() == before)
        #expect(try await layered.retrieve([1]).texts == [#"1 {"k":"x"}"#])
        #expect(try await layered.retrieve([2]).texts == [])
        try await layered.store.add(#"{"k":"z"}"#, to: "a")
        let after = try await layered.contents()
        #expect(texts(after.back) == [#"{"k":"x"}"#, #"{"k":"z"}"#])
        #expect(after.front == after.back)
        #expect(try await layered.retrieve([1, 2]).isFromBack == false)
    }

    /// The write is durable when the back store is committed, so it succeeds if the front store then fails.
    @Test(arguments: [LosingStore.Fault.atCommit, .afterCommit])
    func `A front that fails after the back is not read`(_ fault: LosingStore.Fault) async throws {
        let stores = try TemporaryStores()
        let layered = try await layered(in: stores)
        layered.front.fault = fault
        try await layered.store.add(#"{"k":"y"}"#, to: "a")
        layered.front.fault = nil
        #expect(try await layered.retrieve([1, 2]) == ([#"1 {"k":"x"}"#, #"2 {"k":"y"}"#], true))
        // The next write fills the front store again, also if it changes nothing in it.
        try await layered.store.write { writer in try writer.registerSoup("b", [IndexSpec("k", .string)]) }
        #expect(try await layered.retrieve([1, 2]) == ([#"1 {"k":"x"}"#, #"2 {"k":"y"}"#], false))
        let contents = try await layered.contents()
        #expect(contents.front == contents.back)
    }

    /// The caller gets an error, as after a full disk whose state is unknown, and reads show the true state.
    @Test func `A commit with an unknown result is not hidden`() async throws {
        let stores = try TemporaryStores()
        let layered = try await layered(in: stores)
        layered.losing.fault = .afterCommit
        await #expect(throws: LosingStore.Lost.self) { try await layered.store.add(#"{"k":"y"}"#, to: "a") }
        layered.losing.fault = nil
        #expect(try await layered.retrieve([1, 2]) == ([#"1 {"k":"x"}"#, #"2 {"k":"y"}"#], true))
        try await layered.store.add(#"{"k":"z"}"#, to: "a")
        #expect(try await layered.retrieve([1, 2, 3]).isFromBack == false)
        let contents = try await layered.contents()
        #expect(contents.front == contents.back)
    }

    @Test func `A write that changes no kept soup leaves the front usable`() async throws {
        let stores = try TemporaryStores()
        let layered = try await stores.layered(soups: ["a"])
        try await layered.store.add(#"{"k":"x"}"#, to: "a")
        layered.front.fault = .atRestoring
        try await layered.store.add(#"{"k":"y"}"#, to: "b")
        #expect(try await layered.retrieve([1]).isFromBack == false)
    }

    @Test func `Writes of others are never hidden`() async throws {
        let stores = try TemporaryStores()
        let layered = try await layered(in: stores)
        let other = try await stores.layered()
        #expect(try await other.retrieve([1]) == ([#"1 {"k":"x"}"#], false))
        try await other.store.write { writer in
            let stamp = RecordBatch.Stamp().setting("k", .string("y"))
            _ = try writer.stamp([EntryStamp(id: 1, stamp: stamp)], in: "a")
        }
        #expect(try await other.retrieve([1]) == ([#"1 {"k":"y"}"#], false))
        for _ in 0..<2 { #expect(try await layered.retrieve([1]) == ([#"1 {"k":"y"}"#], true)) }
        // The next write fills the front store, even if it is one to another soup.
        try await layered.store.add(#"{"k":"z"}"#, to: "b")
        #expect(try await layered.retrieve([1]) == ([#"1 {"k":"y"}"#], false))
        #expect(try await other.retrieve([1]).isFromBack)
        // A soup that another process has registered is in the back store alone until then.
        try await other.store.write { try $0.registerSoup("c", [IndexSpec("k", .string)]) }
        try await other.store.add(#"{"k":"c"}"#, to: "c")
        #expect(try await layered.retrieve([1], from: "c") == ([#"1 {"k":"c"}"#], true))
        try await layered.store.add(#"{"k":"d"}"#, to: "c")
        #expect(try await layered.retrieve([1, 2], from: "c") == ([#"1 {"k":"c"}"#, #"2 {"k":"d"}"#], false))
        for soup in ["a", "b", "c"] as [SoupName] {
            let contents = try await layered.contents(of: soup)
            #expect(contents.front == contents.back)
        }
        // Removing a soup and its entries elsewhere is noticed, too.
        try await other.store.write { try $0.removeSoup("a") }
        #expect(await code { _ = try await layered.retrieve([1]) } == .soupNotFound)
    }

    @Test func `Writes on any thread are serial`() async throws {
        let stores = try TemporaryStores()
        let layered = try await stores.layered()
        let store = layered.store
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask { try await store.add(#"{"n":\#(number)}"#, to: "a") }
                group.addTask {
                    let batch = RecordBatch([try JSONText(#"{"n":\#(100 + number)}"#)])
                    try await withCheckedThrowingContinuation { continuation in
                        Thread {
                            continuation.resume(
                                with: Result {
                                    try store.writeBlocking(at: nil) { _ = try $0.upsert(batch, into: "a") }
                                })
                        }.start()
                    }
                }
            }
            try await group.waitForAll()
        }
        let contents = try await layered.contents()
        #expect(contents.front.count == 40 && contents.front == contents.back)
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await store.add(#"{"n":1}"#, to: "a")
        }
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(try await layered.contents().back.count == 40)
    }
}
