// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SalesforceAPI
public import SoupCore

/// Brings parents with their children by one query: parents into one soup, children into another.
///
/// A later run brings the parents that changed, with all of their children. Children whose parent did not change are not
/// asked for.
public struct ParentChildrenSyncDownTarget: SyncDownTarget {
    public static let name: PluginName = "parent_children"
    public static let aliases: [PluginName] = [
        "SFParentChildrenSyncDownTarget",
        "com.salesforce.androidsdk.mobilesync.target.ParentChildrenSyncDownTarget",
    ]
    public static let sample = try? JSONText(
        """
        {"type": "parent_children", "relationshipType": "MASTER_DETAIL",
         "parent": {"sobjectType": "Account", "soupName": "accounts"},
         "parentFieldlist": ["Name", "Description"], "parentSoqlFilter": "Name LIKE 'James%'",
         "children": {"sobjectType": "Contact", "sobjectTypePlural": "Contacts", "soupName": "contacts",
                      "parentIdFieldName": "AccountId"},
         "childrenFieldlist": ["LastName", "AccountId"]}
        """)

    /// The target object of a `parent_children` sync down.
    public struct Configuration: Decodable, Sendable, Hashable {
        public var family: Family
        public var parentFieldlist: [String]
        public var childrenFieldlist: [String]
        /// The condition behind WHERE that parents must meet; empty for all.
        public var parentSoqlFilter: String
        /// Records a page, from 200 to 2000; the server counts children too.
        public var maxBatchSize: Int
        /// Whether a later run brings only those children of a changed parent that changed since as well.
        ///
        /// That is less to fetch, and it can miss a child: one that changed while its parent did not was passed by, and
        /// its date is behind the mark when the parent changes at last.
        public var changedChildrenOnly: Bool

        public init(
            family: Family, parentFieldlist: [String], childrenFieldlist: [String], parentSoqlFilter: String = "",
            maxBatchSize: Int = 2000, changedChildrenOnly: Bool = false
        ) {
            self.family = family
            self.parentFieldlist = parentFieldlist
            self.childrenFieldlist = childrenFieldlist
            self.parentSoqlFilter = parentSoqlFilter
            self.maxBatchSize = min(max(maxBatchSize, 200), 2000)
            self.changedChildrenOnly = changedChildrenOnly
        }

        private enum CodingKeys: String, CodingKey {
            case parentFieldlist
            case childrenFieldlist
            case parentSoqlFilter
            case maxBatchSize
            case changedChildrenOnly
        }

        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let size = try container.decodeIfPresent(Int.self, forKey: .maxBatchSize) ?? 0
            self.init(
                family: try Family(from: decoder),
                parentFieldlist: try container.decode([String].self, forKey: .parentFieldlist),
                childrenFieldlist: try container.decode([String].self, forKey: .childrenFieldlist),
                parentSoqlFilter: try container.decodeIfPresent(String.self, forKey: .parentSoqlFilter) ?? "",
                maxBatchSize: size > 0 ? size : 2000,
                changedChildrenOnly: try container.decodeIfPresent(Bool.self, forKey: .changedChildrenOnly) ?? false)
        }
    }

    public var idField: String { family.parent.idFieldName }
    public var modificationDateField: String { family.parent.modificationDateFieldName }
    public var ordersByModificationDate: Bool { true }
    public var layout: RecordLayout? { family.layout }
    private let family: Family
    private let queries: FamilyQueries
    private let maxBatchSize: Int

    /// - Throws: ``SoupError`` with the place of the key that does not make a query.
    public init(configuration: Configuration) throws {
        family = configuration.family
        maxBatchSize = configuration.maxBatchSize
        try family.check()
        queries = try FamilyQueries(configuration)
    }

    public func page(after cursor: PageCursor?, in context: SyncContext) async throws -> Page {
        let (answer, head) = try await context.queryPage(
            after: cursor, of: queries.records(from: context.highWaterMark), batchSize: maxBatchSize)
        var cutter = try FamilyPage(answer, family)
        try await cutter.fetchRest(in: context)
        return cutter.scan.page([cutter.parents, cutter.children], answer: answer, head: head)
    }

    public func survivors(of ids: [String], part: Int, in context: SyncContext) async throws -> Set<String>? {
        switch part {
        case 0: return try await context.found(ids, by: queries.parentIds, at: idField)
        case 1: return try await survivingChildren(ids, in: context)
        default: return nil
        }
    }

    private func survivingChildren(_ ids: [String], in context: SyncContext) async throws -> Set<String> {
        guard !ids.isEmpty else { return [] }
        let idField = family.children.info.idFieldName
        let wanted = SalesforceID.Matcher(ids, field: idField)
        var found: Set<String> = []
        var answer = try await context.query(queries.childIds)
        while true {
            try Task.checkCancellation()
            var cutter = try FamilyPage(answer, family)
            try await cutter.fetchRest(in: context)
            let children = cutter.children
            for index in 0..<children.count {
                if let id = children[index][JSONPath(idField)]?.stringValue { found.formUnion(wanted.matches(id)) }
            }
            guard let next = cutter.scan.next else { return found }
            answer = try await context.nextPage(next)
        }
    }
}
