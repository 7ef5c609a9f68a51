// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SalesforceAPI
public import SoupCore

/// Brings parents with their children by one query: parents into one soup, children into another.
///
/// A later run brings the parents that changed, with all of their children. Children whose parent did not change are
/// not asked for.
public struct ParentChildrenSyncDownTarget: SyncDownTarget {
    /// The `type` of this target, `parent_children`, which the sync-up target shares.
    public static let name: PluginName = "parent_children"
    /// The class names by which sync downs of the mobile SDKs ask for it.
    public static let aliases: [PluginName] = [
        "SFParentChildrenSyncDownTarget",
        "com.salesforce.androidsdk.mobilesync.target.ParentChildrenSyncDownTarget",
    ]
    /// Accounts with their contacts: every key that must be there, a relationship and a filter.
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
        /// Both objects and how they hang together: the keys `parent`, `children` and `relationshipType`.
        public var family: Family
        /// The fields of parents to bring; id and modification date are added when they are missing.
        public var parentFieldlist: [String]
        /// The fields of children to bring, completed like those of the parents.
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

        /// Makes a configuration, its batch size kept between 200 and 2000; the target checks filter and fields.
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

        /// Reads the keys named like the properties, and those of ``Family``.
        ///
        /// Both field lists must be there. A `maxBatchSize` of 0 or below counts as the default, 2000.
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

    /// The parents' id field; that of the children is in ``layout``.
    public var idField: String { family.parent.idFieldName }
    /// The parents' date field: children do not move the high-water mark.
    public var modificationDateField: String { family.parent.modificationDateFieldName }
    /// True: the query is ordered by the parents' modification date.
    public var ordersByModificationDate: Bool { true }
    /// The parents' soup as part 0, the children's as part 1.
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

    /// A page of parents with all of their children, of the parents that changed when there is a high-water mark.
    ///
    /// Children that the server keeps on pages of their own are fetched before the page is returned, so that one page
    /// can take several requests.
    public func page(after cursor: PageCursor?, in context: SyncContext) async throws -> Page {
        let (answer, head) = try await context.queryPage(
            after: cursor, of: queries.records(from: context.highWaterMark), batchSize: maxBatchSize)
        var cutter = try FamilyPage(answer, family)
        try await cutter.fetchRest(in: context)
        return cutter.scan.page([cutter.parents, cutter.children], answer: answer, head: head)
    }

    /// Those of the ids that the server still has: of parents for part 0, of children for part 1.
    ///
    /// Parents count when they meet the filter, children when their parent does. Either way all ids of the query are
    /// read, page by page. Nil for any other part.
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
