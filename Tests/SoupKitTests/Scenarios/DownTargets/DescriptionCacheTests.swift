// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import SoupStore
import SoupCore
import SoupKit
import SoupTesting
import Testing

@testable import SoupSync

/// The caches of layouts and metadata, with the mobile SDKs' test cases under their IDs.
@Suite(.timeLimit(.minutes(1))) struct DescriptionCacheTests {
    private let org: LocalOrg
    private let transport: StallingTransport
    private let store: SmartStore
    private let manager: SyncManager
    private let layouts: LayoutCache
    private let metadata: MetadataCache

    init() async throws {
        let clock = ManualClock()
        org = try LocalOrg(seed: .tiny, clock: clock)
        transport = StallingTransport(org.authorizedTransport)
        let folder = try TemporaryFolder(["userstore.json": #"{"soups": []}"#])
        let kit = try await SoupClient.open(
            at: folder.url, options: .init(transport: transport, clock: clock, environment: [:]))
        self.folder = folder
        store = kit.store
        manager = kit.syncs
        layouts = try await LayoutCache(manager: manager)
        metadata = try await MetadataCache(manager: manager)
    }

    private let folder: TemporaryFolder

    private func layout(_ mode: FetchMode) async throws -> ObjectLayout? {
        try await layouts.layout(
            of: "Account", formFactor: "Medium", layoutType: "Compact", mode: "Edit", fetching: mode)
    }

    /// Returns the IDs in both soups, and the number of syncs.
    private func state() async throws -> [String] {
        var lines: [String] = []
        for soup in [LayoutCache.soup, MetadataCache.soup] {
            for entry in try await store.query(.all(soup)).entries {
                lines.append("\(entry["Id"]?.stringValue ?? "?")")
            }
        }
        return lines + ["\(try await manager.syncs().count) syncs"]
    }

    private static let layoutRequest = "GET ui-api/layout/Account"
    private static let layoutId = "Account-Medium-Compact-Edit-null"

    @Test func `L 01: The cache-only mode sends no request`() async throws {
        #expect(try await layout(.cacheOnly) == nil)
        #expect(try await metadata.metadata(of: "Account", fetching: .cacheOnly) == nil)
        #expect(transport.requests == [])
        #expect(
            try await store.indexSpecs(of: LayoutCache.soup).map { "\($0.path) \($0.kind.rawValue)" } == ["Id json1"])
        #expect(
            try await store.indexSpecs(of: MetadataCache.soup).map { "\($0.path) \($0.kind.rawValue)" } == ["Id json1"])
    }

    @Test func `L 02: A cached layout is not requested`() async throws {
        let fetched = try await layout(.serverFirst)
        transport.hold(nil)
        #expect(try await layout(.cacheFirst) == fetched)
        #expect(try await layout(.cacheOnly) == fetched)
        #expect(transport.requests == [])
    }

    @Test func `L 03: A layout that is not cached is fetched and stored`() async throws {
        let layout = try #require(try await layout(.cacheFirst))
        #expect(transport.requests == [Self.layoutRequest])
        #expect(try await state() == [Self.layoutId, "0 syncs"])
        #expect(layout.layoutType == "Compact")
        #expect(layout.mode == "Edit")
        #expect(layout.sections.count == 1)
        let section = try #require(layout.sections.first)
        #expect(section.columns == 1 && section.rows == section.layoutRows.count && section.rows > 0)
        let item = try #require(section.layoutRows.first?.layoutItems.first)
        #expect(item.required && item.editableForNew)
        #expect(item.layoutComponents.first?["apiName"] == "Name")
        #expect(layout.raw["objectApiName"] == "Account")
    }

    /// The mobile SDKs leave two rows in `syncs_soup`.
    @Test func `L 04: Fetching twice stores one row`() async throws {
        for _ in 1...2 { #expect(try await layout(.serverFirst) != nil) }
        #expect(transport.requests == [Self.layoutRequest, Self.layoutRequest])
        #expect(try await state() == [Self.layoutId, "0 syncs"])
    }

    @Test func `L 05: Metadata is fetched and decoded`() async throws {
        let account = try #require(try await metadata.metadata(of: "Account", fetching: .serverFirst))
        #expect(account.name == "Account" && account.keyPrefix == "001" && account.label == "Account")
        #expect(account.createable && account.searchable && account.compactLayoutable && !account.custom)
        #expect(account.fields.contains { $0["name"] == "Name" })
        #expect(account.childRelationships.contains { $0["childSObject"] == "Contact" })
        #expect(account.urls["describe"]?.hasSuffix("/sobjects/Account/describe") == true)
        #expect(account.raw["fields"]?.arrayValue == account.fields)
        #expect(try await state() == ["Account", "0 syncs"])
    }

    @Test func `Layouts of record types are stored separately`() async throws {
        let type = "012000000000000AAA"
        let named = try await layouts.layout(of: "Account", recordTypeId: type)
        #expect(named?.raw["recordTypeId"] == .string(type))
        _ = try await layouts.layout(of: "Account", recordTypeId: "")
        #expect(
            try await state() == ["Account-Large-Full-View-\(type)", "Account-Large-Full-View-null", "0 syncs"])
    }

    @Test func `The cache is used if the request limit is reached`() async throws {
        let cached = try #require(try await layout(.cacheFirst))
        org.add(OrgFault(.limit, path: "ui-api"))
        #expect(try await layout(.serverFirst)?.raw == cached.raw)
        #expect(try await state() == [Self.layoutId, "0 syncs"])
    }

    @Test func `L 07: A refusal is thrown and leaves no sync`() async throws {
        _ = try await layout(.cacheFirst)
        org.add(OrgFault(.http(status: 400, code: "INVALID_INPUT"), path: "ui-api"))
        let error = await #expect(throws: SoupError.self) { try await layout(.serverFirst) }
        #expect(error?.code == .server)
        let unknown = await #expect(throws: SoupError.self) { try await metadata.metadata(of: "Nope__c") }
        #expect(unknown?.code == "objectNotFound")
        #expect(try await state() == [Self.layoutId, "0 syncs"])
    }

    @Test func `L 07: The cache is used if there is no connection`() async throws {
        let fetched = try await layout(.serverFirst)
        org.add(OrgFault(.drop(.accept)))
        #expect(try await layout(.serverFirst) == fetched)
        let error = await #expect(throws: SoupError.self) {
            try await metadata.metadata(of: "Account", fetching: .serverFirst)
        }
        #expect(error?.code == .network)
        #expect(try await state() == [Self.layoutId, "0 syncs"])
    }

    @Test func `Concurrent callers share a request`() async throws {
        transport.hold(1)
        let cache = layouts
        let fetches = (1...10).map { _ in
            Task { try await cache.layout(of: "Account", fetching: .serverFirst)?.layoutType }
        }
        await transport.arrived()
        while await cache.waiting < 10 { await Task.yield() }
        transport.release()
        for fetch in fetches { #expect(try await fetch.value == "Full") }
        #expect(transport.requests == [Self.layoutRequest])
        #expect(await cache.waiting == 0)
        #expect(try await state() == ["Account-Large-Full-View-null", "0 syncs"])
    }

    @Test func `A fetch continues while one caller waits`() async throws {
        transport.hold(1)
        let cache = layouts
        let fetches = (1...2).map { _ in Task { try await cache.layout(of: "Account", fetching: .serverFirst) } }
        await transport.arrived()
        while await cache.waiting < 2 { await Task.yield() }
        fetches[0].cancel()
        await #expect(throws: CancellationError.self) { try await fetches[0].value }
        transport.release()
        #expect(try await fetches[1].value != nil)
        #expect(transport.requests.count == 1)
    }

    @Test func `A fetch without waiting callers is cancelled`() async throws {
        transport.hold(1)
        let cache = layouts
        let fetch = Task { try await cache.layout(of: "Account", fetching: .serverFirst) }
        await transport.arrived()
        fetch.cancel()
        await #expect(throws: CancellationError.self) { try await fetch.value }
        await manager.ended()
        while try await !manager.syncs().isEmpty { await Task.yield() }
        #expect(try await state() == ["0 syncs"])
        // The next fetch sends its own request.
        #expect(try await cache.layout(of: "Account", fetching: .serverFirst) != nil)
        #expect(transport.requests.count == 2)
    }

    @Test func `An unfinished sync of an earlier process is removed`() async throws {
        org.add(OrgFault(.drop(.accept)))
        let target: JSONValue = ["type": "layout", "sobjectType": "Account"]
        let broken = try await manager.syncDown(TargetReference(target), into: LayoutCache.soup).result
        #expect(broken.state.status == .failed)
        #expect(try await state() == ["1 syncs"])
        _ = try await LayoutCache(manager: manager)
        #expect(try await state() == ["0 syncs"])
    }

    @Test func `A stopped manager is reported as an error`() async throws {
        await manager.stop()
        let error = await #expect(throws: SoupError.self) { try await layout(.serverFirst) }
        #expect(error?.code == .managerStopped)
        #expect(try await state() == ["0 syncs"])
    }

    @Test func `Callbacks have the form of the developer guide`() async throws {
        let cache = (layouts, metadata)
        let label = try await withCheckedThrowingContinuation { continuation in
            cache.1.fetchMetadata(forObject: "Contact", mode: .cacheFirst) { result in
                continuation.resume(with: result.map { $0?.label })
            }
        }
        #expect(label == "Contact")
        let type = try await withCheckedThrowingContinuation { continuation in
            cache.0.fetchLayout(
                forObjectAPIName: "Contact", formFactor: "Large", layoutType: "Full", mode: "View",
                syncMode: .serverFirst
            ) { result in continuation.resume(with: result.map { $0?.layoutType }) }
        }
        #expect(type == "Full")
        org.add(OrgFault(.drop(.accept)))
        let error = await #expect(throws: SoupError.self) {
            try await withCheckedThrowingContinuation { continuation in
                cache.1.fetchMetadata(forObject: "Case", mode: .serverFirst) {
                    continuation.resume(with: $0.map { _ in })
                }
            }
        }
        #expect(error?.code == .network)
    }

    @Test func `Invalid descriptions are rejected or read as empty`() throws {
        let list = try JSONText("[1]")
        #expect(throws: SoupError.self) { try ObjectLayout(list) }
        #expect(throws: SoupError.self) { try ObjectMetadata(list) }
        #expect(throws: SoupError.self) { try SalesforceObject(list) }
        let odd = try ObjectLayout(JSONText(#"{"sections":[{"rows":"x","layoutRows":[{"layoutItems":7}]}, 3]}"#))
        #expect(odd.sections.map(\.rows) == [0, 0])
        #expect(odd.sections[0].layoutRows.map(\.layoutItems.count) == [0])
    }

    @Test(arguments: [
        (#"{"Id":"1","Name":"n","attributes":{"type":"Account"}}"#, ["1", "n", "Account"]),
        (#"{"id":"1","name":"n","type":"Account"}"#, ["1", "n", "Account"]),
        (#"{"id":"1","name":"n","Type":"Account"}"#, ["1", "n", "Account"]),
        (#"{"Id":"1","Name":"n","Type":"Case","attributes":{"type":"RecentlyViewed"}}"#, ["1", "n", "Case"]),
        (#"{"Id":"1"}"#, ["1", nil, nil]), ("{}", [nil, nil, nil]),
    ])
    func `A record's ID, name and type are found`(text: String, expected: [String?]) throws {
        let object = try SalesforceObject(JSONText(text))
        #expect([object.id, object.name, object.type] == expected)
    }
}
