// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
@testable import SoupKit
import SoupTestApp
import SoupTesting
import Testing

/// Imports into stores of all kinds.
@Suite struct ImportTargetTests {
    let folder: TemporaryFolder
    var file: URL { folder.url.appending(path: "smartstore.db") }

    init() throws { folder = try TemporaryFolder() }

    /// ``ImportFixtures/contacts(entries:)`` without full text, which a store in memory does not have.
    static var plain: MobileSDKFixture.Soup {
        var soup = ImportFixtures.contacts()
        soup.specs.removeAll { $0.type == "full_text" }
        return soup
    }

    @Test func `A store in memory keeps IDs, dates and texts`() async throws {
        try MobileSDKFixture(.iOS, [Self.plain, ImportFixtures.syncs([])]).write(to: file)
        let store = SmartStore(MemoryStore())
        #expect(
            try await store.importSmartStore(file).soups == [
                .init(name: "contacts", entries: 4, unsent: 3, leftOut: 0),
                .init(name: "syncs_soup", entries: 0, unsent: 0, leftOut: 0),
            ])
        let entries = try await store.query(.all("contacts", orderedBy: "_soupEntryId")).entries
        #expect(
            zip(entries, ImportFixtures.contactsState).allSatisfy { entry, line in
                line.hasPrefix("\(entry.id) created ") && line.hasSuffix(" modified \(entry.version) \(entry.stored)")
            })
        #expect(entries.count == 4)
        let byCreation = try await store.query(.all("contacts", orderedBy: "_soupCreatedDate", order: .descending))
        #expect(byCreation.entries.map(\.id) == [9, 7, 3, 2])
        #expect(try await store.read { try $0.dirtyIds(in: "contacts") } == [3, 7, 9])
        let next = try await store.write { try $0.upsert(RecordBatch([try JSONText("{}")]), into: "contacts") }
        #expect(next.map(\.id) == [13])
        let again = await #expect(throws: SoupError.self) { try await store.importSmartStore(file) }
        #expect(again?.code == .soupNotEmpty)
    }

    @Test(arguments: [
        #"{"type": "layered", "back": {"type": "sqlite"}}"#, #"{"type": "metered", "store": {"type": "sqlite"}}"#,
        #"{"type": "routed", "default": {"type": "sqlite"}, "routes": {"contacts": {"type": "memory"}}}"#,
        #"{"type": "routed", "default": {"type": "sqlite"}, "routes": {"contacts": {"type": "sqlite"}}}"#,
    ]) func `Composed stores continue after the last ID`(_ backend: String) async throws {
        try folder.write(#"{"soups": [], "backend": \#(backend)}"#, to: "userstore.json")
        try MobileSDKFixture(.iOS, [Self.plain, ImportFixtures.syncs([])]).write(to: file)
        let store = try await SoupClient.openStore(at: folder.url, options: .init(environment: [:]))
        #expect(try await store.importSmartStore(file).soups.map(\.entries) == [4, 0])
        #expect(try await store.retrieve([1, 2, 3, 7, 9, 12], from: "contacts").map(\.id) == [2, 3, 7, 9])
        let next = try await store.write { try $0.upsert(RecordBatch([try JSONText("{}")]), into: "contacts") }
        #expect(next.map(\.id) == [13])
        try await store.close()
    }

    @Test func `Full text is refused by a store in memory`() async throws {
        try MobileSDKFixture(.iOS, [ImportFixtures.contacts()]).write(to: file)
        let store = SmartStore(MemoryStore())
        let error = await #expect(throws: SoupError.self) { try await store.importSmartStore(file) }
        #expect(error?.code == .notSupported)
        #expect(
            error?.message == #"soup "contacts" cannot have the indexes of the database: the store has no full_text "#
                + #"indexes, such as the one on "notes""#)
        #expect(try await store.soupNames() == [])
        // With another index in the store, the soup is imported.
        try await store.registerSoup("contacts", [IndexSpec("Id", .string)])
        #expect(try await store.importSmartStore(file).soups.map(\.entries) == [4])
    }

    /// A store that cannot keep the IDs of imported entries.
    private struct PlainStore: ForwardingStore {
        struct Configuration: Decodable, Sendable {}
        static let name: PluginName = "plain"
        let inner: any StoreBackend
        var capabilities: Set<StoreCapability> { inner.capabilities.subtracting([.restoring]) }
        func capabilities(of soup: SoupName) -> Set<StoreCapability> { capabilities }
    }

    @Test func `A store without the capability restoring is refused`() async throws {
        try MobileSDKFixture(.iOS, [Self.plain]).write(to: file)
        let store = SmartStore(PlainStore(inner: MemoryStore()))
        for isDryRun in [true, false] {
            let error = await #expect(throws: SoupError.self) {
                try await store.importSmartStore(file, importing: .init(isDryRun: isDryRun))
            }
            #expect(error?.code == .notSupported)
        }
        #expect(try await store.soupNames() == [])
    }

    @Test func `A cancelled import writes nothing`() async throws {
        try MobileSDKFixture(.iOS, [Self.plain]).write(to: file)
        let store = SmartStore(MemoryStore())
        let file = file
        let work = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await store.importSmartStore(file)
        }
        await #expect(throws: CancellationError.self) { try await work.value }
        #expect(try await store.soupNames() == [])
    }

    @Test func `A store that another manager syncs is refused`() async throws {
        try MobileSDKFixture(.iOS, [Self.plain]).write(to: file)
        let backend = MemoryStore()
        let lease = try await backend.claimSyncs()
        let error = await #expect(throws: SoupError.self) { try await SmartStore(backend).importSmartStore(file) }
        #expect(error?.code == .syncAlreadyRunning)
        lease?.release()
        #expect(try await SmartStore(backend).importSmartStore(file).soups.count == 1)
    }
}
