// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A sync down whose records are changed before they are saved.
struct TransformedDownTarget: SyncDownTarget {
    struct Configuration: Decodable, Sendable {}

    static let name: PluginName = "transformed"

    let target: any SyncDownTarget
    private let transforms: RecordTransforms
    private let soups: [SoupName]

    /// - Parameter soup: the soup of the sync.
    init(_ target: any SyncDownTarget, _ transforms: RecordTransforms, soup: SoupName) {
        self.target = target
        self.transforms = transforms
        soups = target.recordLayout(for: soup).levels.map(\.soup)
    }

    /// Throws: the engine makes this target from another one.
    init(configuration: Configuration) throws {
        throw SoupError(.notSupported, "this target has no configuration")
    }

    func page(after cursor: PageCursor?, in context: SyncContext) async throws -> RecordPage {
        try await unreadPage(after: cursor, in: context).read()
    }

    func unreadPage(after cursor: PageCursor?, in context: SyncContext) async throws -> UnreadPage {
        let page = try await target.unreadPage(after: cursor, in: context)
        var head = page.head
        head.levels = []
        let (transforms, soups) = (transforms, soups)
        return UnreadPage(head: head) {
            // A page of more levels than the layout is reported by the reader.
            try page.read().levels.enumerated().map { position, batch in
                soups.indices.contains(position) ? try transforms.fetched(batch, of: soups[position]) : batch
            }
        }
    }

    var connectionName: String? { target.connectionName }
    var idField: String { target.idField }
    var modificationDateField: String { target.modificationDateField }
    var dateFormat: RecordDateFormat { target.dateFormat }
    var versionField: String? { target.versionField }
    var ordersByModificationDate: Bool { target.ordersByModificationDate }
    var layout: RecordLayout? { target.layout }
    var lookback: Duration { target.lookback }

    func currentCount(unchangedSince time: Date?, in context: SyncContext) async throws -> Int? {
        try await target.currentCount(unchangedSince: time, in: context)
    }

    func isPossibleId(_ id: String, level: Int) -> Bool { target.isPossibleId(id, level: level) }

    func survivors(of ids: [String], level: Int, in context: SyncContext) async throws -> Set<String>? {
        try await target.survivors(of: ids, level: level, in: context)
    }

    func existing(
        _ ids: [String], type: String, level: Int, in context: SyncContext
    ) async throws -> Set<String>? {
        try await target.existing(ids, type: type, level: level, in: context)
    }

    func deletions(since time: Date?, level: Int, in context: SyncContext) async throws -> DeletionReport? {
        try await target.deletions(since: time, level: level, in: context)
    }

    func changedIds(
        since time: Date, level: Int, limit: Int, in context: SyncContext
    ) async throws -> ChangeReport? {
        try await target.changedIds(since: time, level: level, limit: limit, in: context)
    }

    func problems(with options: SyncOptions) -> [ConfigurationProblem] { target.problems(with: options) }

    func fetchedFields(level: Int) -> [FetchedFields] { target.fetchedFields(level: level) }
}

extension SyncDownTarget {
    /// The name of the target that the configuration names.
    var pluginName: PluginName { (self as? TransformedDownTarget)?.target.pluginName ?? Self.name }
}
