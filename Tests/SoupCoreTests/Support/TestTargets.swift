// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore

/// Targets that only read their configuration, under the names that the published files use.
struct QueryTarget: SyncDownTarget {
    struct Configuration: Decodable, Sendable {
        var query: String
        var maxBatchSize: Int?
        var idFieldName: String?
    }

    static let name: PluginName = "soql"
    static let aliases: [PluginName] = ["SFSoqlSyncDownTarget"]
    let idField: String

    init(configuration: Configuration) throws {
        guard configuration.query.hasPrefix("SELECT") else {
            throw SoupError(
                .badConfiguration, "a query starts with SELECT",
                place: SoupError.Place(line: 1, column: 1, path: "query"))
        }
        idField = configuration.idFieldName ?? "Id"
    }

    func page(after cursor: PageCursor?, in context: SyncContext) async throws -> RecordPage { RecordPage(.empty) }
}

struct ListTarget: SyncDownTarget {
    struct Configuration: Decodable, Sendable {
        var sobjectType: String
        var fieldlist: [String]
    }

    static let name: PluginName = "mru"
    let configuration: Configuration

    init(configuration: Configuration) { self.configuration = configuration }

    func fetchedFields(level: Int) -> [FetchedFields] {
        [FetchedFields(of: configuration.sobjectType, configuration.fieldlist, at: "fieldlist")]
    }

    func page(after cursor: PageCursor?, in context: SyncContext) async throws -> RecordPage { RecordPage(.empty) }
}

struct TreeTarget: SyncDownTarget {
    struct Configuration: Decodable, Sendable {
        var parent: Level
        var children: Level
        var parentFieldlist: [String]
        var relationshipType: RecordLayout.Relationship
    }

    struct Level: Decodable, Sendable {
        var soupName: String
        var sobjectType: String
        var idFieldName: String?
        var parentIdFieldName: String?
    }

    static let name: PluginName = "parent_children"
    let layout: RecordLayout?

    init(configuration: Configuration) {
        layout = RecordLayout(
            levels: [
                .init(soup: SoupName(configuration.parent.soupName), idField: configuration.parent.idFieldName ?? "Id"),
                .init(
                    soup: SoupName(configuration.children.soupName),
                    idField: configuration.children.idFieldName ?? "Id",
                    parentIdField: configuration.children.parentIdFieldName ?? "ParentId"),
            ], relationship: configuration.relationshipType)
    }

    func page(after cursor: PageCursor?, in context: SyncContext) async throws -> RecordPage { RecordPage(.empty) }
}

struct PushTarget: SyncUpTarget {
    struct Configuration: Decodable, Sendable {
        var createFieldlist: [String]?
        var updateFieldlist: [String]?
        var idFieldName: String?
    }

    static let name: PluginName = "rest"
    static let aliases: [PluginName] = ["SFSyncUpTarget", "SFBatchSyncUpTarget", "SFParentChildrenSyncUpTarget"]
    let configuration: Configuration
    var idField: String { configuration.idFieldName ?? "Id" }

    init(configuration: Configuration) { self.configuration = configuration }

    func pushedFields(level: Int, with options: SyncOptions) -> [PushedFields] {
        PushedFields.lists(
            of: nil, create: (configuration.createFieldlist, "createFieldlist"),
            update: (configuration.updateFieldlist, "updateFieldlist"), otherwise: (options.fieldlist, nil),
            externalId: (nil, ""))
    }

    func push(_ changes: [RecordChange], in context: SyncContext) async throws -> [PushOutcome] { [] }
}

struct Shelf: StoreBackend {
    struct Configuration: Decodable, Sendable {
        var path: String?
        var boards: Int?
    }

    static let name: PluginName = "shelf"

    static func open(_ configuration: Configuration, in context: StoreContext) async throws -> Shelf {
        throw SoupError(.storeUnusable, "a shelf is never opened")
    }

    var capabilities: Set<StoreCapability> { [] }
    func write<T: Sendable>(_ body: @escaping @Sendable (any StoreWriter) throws -> T) async throws -> T {
        throw SoupError(.notSupported, "a shelf is not written to")
    }
    func read<T: Sendable>(_ body: @escaping @Sendable (any StoreReader) throws -> T) async throws -> T {
        throw SoupError(.notSupported, "a shelf is not read")
    }
    func changes(in soups: Set<SoupName>) -> AsyncStream<StoreChange> { AsyncStream { $0.finish() } }
    func claimSyncs() async throws -> SyncLease? { nil }
    func close() async throws {}
}

struct TestTargets: PluginModule {
    let interfaceVersion = 1

    func register(in registry: inout PluginRegistry) throws {
        try registry.register(down: QueryTarget.self)
        try registry.register(down: ListTarget.self)
        try registry.register(down: TreeTarget.self)
        try registry.register(up: PushTarget.self, isDefault: true)
        try registry.register(store: Shelf.self)
    }

    static func registry() throws -> PluginRegistry { try PluginRegistry([TestTargets()]) }
}
